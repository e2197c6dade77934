import { Circle, Lock, LockOpen, MicOff, PhoneOff, Radio, Square } from 'lucide-react'
import { useState } from 'react'
import { answerOf } from '../../api/http.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { EndRoom } from './end-room.tsx'
import { LayoutSelect } from './layout-select.tsx'
import type { LiveRoom } from './live-queries.ts'
import { StreamDialog } from './stream-dialog.tsx'
import { useAct } from './use-act.ts'

/** What an operator does to a running room. */
export function RoomControls({ room }: { room: LiveRoom }) {
  const params = { path: { id: room.id } }
  const [asking, setAsking] = useState<'end' | 'stream' | null>(null)
  const muteAll = useAct((client) =>
    answerOf(client.POST('/api/dashboard/live_rooms/{id}/mute', { params, body: {} })),
  )
  const lock = useAct((client, locked: boolean) =>
    answerOf(client.PUT('/api/dashboard/live_rooms/{id}', { params, body: { locked } })),
  )
  const record = useAct((client, on: boolean) =>
    answerOf(
      on
        ? client.POST('/api/dashboard/live_rooms/{id}/recordings', { params })
        : client.DELETE('/api/dashboard/live_rooms/{id}/recordings', { params }),
    ),
  )
  const stopStreams = useAct((client) =>
    answerOf(client.DELETE('/api/dashboard/live_rooms/{id}/streams', { params })),
  )
  const LockIcon = room.locked ? LockOpen : Lock
  const RecordIcon = room.recording ? Square : Circle
  return (
    <div className="flex flex-wrap items-end gap-2">
      <div className="w-full sm:w-56">
        <LayoutSelect room={room} />
      </div>
      <Button
        busy={muteAll.isPending}
        disabled={room.members.every(({ audio_muted }) => audio_muted)}
        onClick={() => muteAll.mutate()}
      >
        <MicOff aria-hidden className="size-4.5" />
        {t('live.mute-all')}
      </Button>
      <Button busy={lock.isPending} onClick={() => lock.mutate(!room.locked)}>
        <LockIcon aria-hidden className="size-4.5" />
        {t(room.locked ? 'live.unlock' : 'live.lock')}
      </Button>
      <Button busy={record.isPending} onClick={() => record.mutate(room.recording === null)}>
        <RecordIcon aria-hidden className="size-4.5" />
        {t(room.recording ? 'live.stop-recording' : 'live.record')}
      </Button>
      <Button onClick={() => setAsking('stream')}>
        <Radio aria-hidden className="size-4.5" />
        {t('live.stream')}
      </Button>
      {room.streams > 0 && (
        <Button busy={stopStreams.isPending} onClick={() => stopStreams.mutate()}>
          <Square aria-hidden className="size-4.5" />
          {t('live.stop-streams')}
        </Button>
      )}
      <Button className="text-danger-ink" onClick={() => setAsking('end')}>
        <PhoneOff aria-hidden className="size-4.5" />
        {t('live.end')}
      </Button>
      {asking === 'stream' && <StreamDialog room={room} onClose={() => setAsking(null)} />}
      <EndRoom room={room} open={asking === 'end'} onClose={() => setAsking(null)} />
    </div>
  )
}
