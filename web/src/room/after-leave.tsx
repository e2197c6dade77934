import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { t } from '../languages/texts.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { type LeaveReason, leaveReasonText } from './leave-reason.ts'

interface AfterLeaveProps {
  reason: LeaveReason
  roomTitle: string
  lobbyHref?: string
  onRejoin: () => void
  children?: ReactNode
}

/** Says why the person is no longer in the room, and offers to join again. */
export function AfterLeave({ reason, roomTitle, lobbyHref, onRejoin, children }: AfterLeaveProps) {
  const text = leaveReasonText(reason)
  // A person from the lobby gets a new token each time. An invitation's token stays the same.
  const mayRejoin = lobbyHref !== undefined || (reason !== 'removed' && reason !== 'invitation-void')
  return (
    <main className="mx-auto flex min-h-full max-w-2xl flex-col items-center px-5 py-14 sm:py-20">
      <p className="text-sm font-medium text-ink-soft">{roomTitle}</p>
      <div role="status" className="text-center">
        <h1 className="mt-1 text-2xl font-semibold tracking-tight">{text.title}</h1>
        <p className="mt-2 text-ink-soft">{text.hint}</p>
      </div>
      <div className="mt-7 flex flex-wrap justify-center gap-3">
        {mayRejoin && (
          <Button kind="primary" onClick={onRejoin}>
            {t('meeting.join-again')}
          </Button>
        )}
        {lobbyHref && (
          <Link href={lobbyHref} className={buttonClass()}>
            {t('meeting.back-to-rooms')}
          </Link>
        )}
      </div>
      {children}
    </main>
  )
}
