import { EllipsisVertical, Play, Square, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { t } from '../../languages/texts.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useAct } from '../live/use-act.ts'
import type { ListedStream } from './stream-queries.ts'

/** Starts, stops and removes a stream. */
export function StreamMenu({ stream }: { stream: ListedStream }) {
  const params = { path: { id: stream.id } }
  const [isAsking, setAsking] = useState(false)
  const start = useAct((client) => answerOf(client.POST('/api/dashboard/streams/{id}/start', { params })))
  const stop = useAct((client) => answerOf(client.POST('/api/dashboard/streams/{id}/stop', { params })))
  const remove = useAct((client) => answerOf(client.DELETE('/api/video/streams/{id}', { params })))
  const isRunning = stream.status !== 'waiting'
  const canStart = !isRunning && stream.room_session_id !== null
  if (!isRunning && !canStart && !stream.kept) return null
  return (
    <>
      <Menu
        trigger={
          <IconButton label={t('live.more-about-stream', { room: stream.room_name })}>
            <EllipsisVertical className="size-4.5" />
          </IconButton>
        }
      >
        {isRunning && (
          <MenuItem icon={<Square className="size-4" />} onSelect={() => stop.mutate()}>
            {t('live.stop')}
          </MenuItem>
        )}
        {canStart && (
          <MenuItem icon={<Play className="size-4" />} onSelect={() => start.mutate()}>
            {t('live.start')}
          </MenuItem>
        )}
        {stream.kept && (
          <MenuItem icon={<Trash2 className="size-4" />} danger onSelect={() => setAsking(true)}>
            {t('live.remove')}
          </MenuItem>
        )}
      </Menu>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={t('live.remove-title')}
        description={t('live.remove-hint')}
        action={t('live.remove')}
        busy={remove.isPending}
        problem={remove.error && apiErrorText(remove.error)}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => setAsking(false) })}
      />
    </>
  )
}
