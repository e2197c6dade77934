import { Volume2, VolumeX } from 'lucide-react'
import { useState, useSyncExternalStore } from 'react'
import { t } from '../../languages/texts.ts'
import type { Meeting } from '../../room/meeting.ts'
import { SoundBlocked } from '../../room/sound-blocked.tsx'
import { Stage } from '../../room/stage.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import type { LiveRoom } from './live-queries.ts'
import { useWatching } from './use-watching.ts'

/** The live picture of a running room, as its audience has it. */
export function WatchedRoom({ room }: { room: LiveRoom }) {
  const { watching, again } = useWatching(room)
  return (
    <section aria-label={t('live.watching', { room: room.display_name })}>
      <div className="relative aspect-video overflow-hidden rounded-lg bg-stage text-on-stage">
        {watching.is === 'joining' && (
          <div
            role="status"
            aria-label={t('live.watch-joining')}
            className="grid size-full place-items-center"
          >
            <Spinner className="size-6" />
          </div>
        )}
        {watching.is === 'watching' && <Picture meeting={watching.meeting} />}
      </div>
      {watching.is === 'over' ? (
        <Notice
          tone="info"
          title={watching.problem?.title ?? t('live.watch-ended')}
          {...(watching.problem && { hint: watching.problem.hint })}
          className="mt-3"
        >
          <Button size="small" onClick={again}>
            {t('live.watch-again')}
          </Button>
        </Notice>
      ) : (
        <div className="mt-2 flex min-h-10 flex-wrap items-center justify-between gap-2">
          <p className="text-sm text-ink-soft">{t('live.watch-note')}</p>
          {watching.is === 'watching' && <Sound meeting={watching.meeting} />}
        </div>
      )}
    </section>
  )
}

function Picture({ meeting }: { meeting: Meeting }) {
  const state = useSyncExternalStore(meeting.subscribe, meeting.snapshot)
  return (
    <>
      <Stage meeting={meeting} state={state} />
      {state.soundBlocked && <SoundBlocked onPlay={() => void meeting.playSound()} />}
    </>
  )
}

function Sound({ meeting }: { meeting: Meeting }) {
  const [isOn, setOn] = useState(true)
  const Icon = isOn ? Volume2 : VolumeX
  return (
    <Button
      size="small"
      onClick={() => {
        meeting.setOwnVolume(isOn ? 0 : 1)
        setOn(!isOn)
      }}
    >
      <Icon aria-hidden className="size-4" />
      {t(isOn ? 'live.sound-off' : 'live.sound-on')}
    </Button>
  )
}
