import { Eye } from 'lucide-react'
import type { FormEvent, ReactNode } from 'react'
import type { ErrorText } from '../api/error-text.ts'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { type Readiness, readinessToWatch } from './readiness.ts'

interface WatchRoomProps {
  roomTitle: string
  /** Why the last attempt to join failed. */
  problem: ErrorText | null
  onJoin: (ready: Readiness) => void
  children?: ReactNode
}

/** The screen before joining as audience. It asks for no camera and no microphone. */
export function WatchRoom({ roomTitle, problem, onJoin, children }: WatchRoomProps) {
  function submit(event: FormEvent): void {
    event.preventDefault()
    onJoin(readinessToWatch())
  }

  return (
    <main className="grid min-h-full place-items-center px-4 py-8">
      <form onSubmit={submit} className="w-full max-w-sm space-y-5">
        <div className="grid size-12 place-items-center rounded-full bg-accent-soft text-accent">
          <Eye aria-hidden className="size-6" />
        </div>
        <div>
          <p className="text-sm font-medium text-ink-soft">{t('guest.about-to-watch')}</p>
          <h1 className="mt-0.5 text-2xl font-semibold tracking-tight break-words">{roomTitle}</h1>
          {children}
          <p className="mt-1 text-sm text-ink-soft">{t('guest.watch-note')}</p>
        </div>
        {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
        <Button kind="primary" size="large" type="submit" className="w-full">
          {t('guest.join-to-watch')}
        </Button>
      </form>
    </main>
  )
}
