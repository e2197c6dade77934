import { Lock, LockOpen, MicOff, PhoneOff } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { allowedIn } from '../allowed.ts'
import type { Meeting } from '../meeting.ts'
import type { MeetingState } from '../meeting-state.ts'
import { peopleOf } from '../members.ts'

/** What moderators do with all people at once. Nothing is shown of what one may not do. */
export function ForEverybody({ meeting: { room }, state }: { meeting: Meeting; state: MeetingState }) {
  const [isAsking, setAsking] = useState(false)
  const { muteAll, locked: mayLock, end } = allowedIn(state)
  const { locked } = state.settings
  if (!muteAll && !mayLock && !end) return null
  const others = peopleOf(state.members).filter(({ id, audioMuted }) => id !== state.selfId && !audioMuted)
  return (
    <section aria-labelledby="for-everybody" className="border-t border-line pt-3">
      <h3 id="for-everybody" className="mb-2 text-sm font-semibold text-ink-soft">
        {t('panels.for-all')}
      </h3>
      <div className="flex flex-wrap gap-2">
        {muteAll && (
          <Button
            size="small"
            disabled={others.length === 0}
            onClick={() => void Promise.all(others.map(({ id }) => room.mute(id)))}
          >
            <MicOff aria-hidden className="size-4" />
            {t('panels.mute-all')}
          </Button>
        )}
        {mayLock && (
          <Button size="small" onClick={() => void room.setLocked(!locked)}>
            {locked ? <LockOpen aria-hidden className="size-4" /> : <Lock aria-hidden className="size-4" />}
            {t(locked ? 'panels.unlock' : 'panels.lock')}
          </Button>
        )}
        {end && (
          <Button size="small" className="text-danger-ink" onClick={() => setAsking(true)}>
            <PhoneOff aria-hidden className="size-4" />
            {t('panels.end')}
          </Button>
        )}
      </div>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={t('panels.end-title')}
        description={t('panels.end-hint')}
        action={t('panels.end')}
        decline={t('panels.end-keep')}
        onConfirm={() => {
          setAsking(false)
          void room.end()
        }}
      />
    </section>
  )
}
