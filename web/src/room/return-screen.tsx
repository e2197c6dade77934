import { useSyncExternalStore } from 'react'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { Spinner } from '../ui/spinner.tsx'
import type { ReturnPlan } from './return-plan.ts'
import type { ReturnToMeeting } from './return-to-meeting.ts'
import { useSecondsUntil } from './use-seconds-until.ts'

interface ReturnScreenProps {
  returning: ReturnToMeeting
  roomTitle: string
  /** Whether the meeting was interrupted for everybody, or only this device lost it. */
  forAll: boolean
  onLeave: () => void
}

/** The screen during the return to an interrupted meeting. It looks like the room that it replaces. */
export function ReturnScreen({ returning, roomTitle, forAll, onLeave }: ReturnScreenProps) {
  const plan = useSyncExternalStore(returning.subscribe, returning.snapshot)
  return (
    <div className="flex h-dvh flex-col">
      <header className="flex h-14 shrink-0 items-center px-4 sm:px-6">
        <h1 className="min-w-0 truncate font-semibold tracking-tight">{roomTitle}</h1>
      </header>
      <main
        aria-label={t('meeting.meeting')}
        className="mx-2 mb-4 grid min-h-0 flex-1 place-items-center overflow-y-auto rounded-xl bg-stage p-6 text-on-stage sm:mx-4 sm:mb-6"
      >
        <div className="max-w-md text-center">
          <div role="status">
            <h2 className="text-2xl font-semibold tracking-tight">{titleOf(plan, forAll)}</h2>
            <p className="mt-2 opacity-80">{hintOf(plan)}</p>
          </div>
          <Countdown plan={plan} />
          <div className="mt-7 flex flex-wrap justify-center gap-3">
            <Button kind="primary" autoFocus disabled={plan.is === 'trying'} onClick={returning.joinNow}>
              {t(plan.is === 'stopped' ? 'meeting.join-again' : 'guest.join-now')}
            </Button>
            <Button onClick={onLeave}>{t('meeting.leave-room')}</Button>
          </div>
        </div>
      </main>
    </div>
  )
}

function titleOf(plan: ReturnPlan, forAll: boolean): string {
  if (plan.is === 'stopped') return plan.problem.title
  return t(forAll ? 'meeting.interrupted' : 'meeting.your-connection-lost')
}

function hintOf(plan: ReturnPlan): string {
  if (plan.is === 'stopped') return plan.problem.hint
  const problem = plan.is === 'waiting' ? plan.problem?.title : undefined
  return problem === undefined
    ? t('meeting.return-hint')
    : t('meeting.return-hint-after-problem', { problem })
}

/** The timer is not announced (`aria-live="off"`): a screen reader that reads each second would say nothing else. */
function Countdown({ plan }: { plan: ReturnPlan }) {
  const seconds = useSecondsUntil(plan.is === 'waiting' ? plan.tryAtMs : null)
  if (plan.is === 'stopped') return null
  return (
    <p role="timer" aria-live="off" className="mt-6 flex items-center justify-center gap-3 tabular-nums">
      <Spinner />
      {plan.is === 'waiting' && seconds > 0 ? t('meeting.joining-in', { seconds }) : t('meeting.joining')}
    </p>
  )
}
