import { DoorOpen } from 'lucide-react'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { useKnock } from './use-knock.ts'

interface WaitingScreenProps {
  roomTitle: string
  token: string
  /** What moderators see. */
  name: string
  /** @param pass to join with besides the token; null if none is needed any more */
  onLetIn: (pass: string | null) => void
  onLeave: () => void
}

/** The screen of somebody who waits until a moderator lets them in. */
export function WaitingScreen({ roomTitle, token, name, onLetIn, onLeave }: WaitingScreenProps) {
  const knocking = useKnock(token, name, onLetIn)
  const isRefused = knocking === 'refused'
  return (
    <main className="grid min-h-full place-items-center px-4 py-8">
      <div className="w-full max-w-md space-y-5">
        <div className="grid size-12 place-items-center rounded-full bg-accent-soft text-accent">
          <DoorOpen aria-hidden className="size-6 rtl:-scale-x-100" />
        </div>
        <h1 className="text-2xl font-semibold tracking-tight break-words">{roomTitle}</h1>
        <div role="status" className="rounded-md bg-raised px-4 py-3">
          <p className="flex items-center gap-2.5 font-semibold">
            {!isRefused && <Spinner />}
            {t(`waiting.${knocking}`)}
          </p>
          <p className="mt-1 text-sm text-ink-soft">{t(`waiting.${knocking}-hint`)}</p>
        </div>
        <Button onClick={onLeave}>{t(isRefused ? 'waiting.back' : 'waiting.leave')}</Button>
      </div>
    </main>
  )
}
