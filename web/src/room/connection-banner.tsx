import { Button } from '../ui/button.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { useSecondsUntil } from './use-seconds-until.ts'

interface ConnectionBannerProps {
  /** When the server is asked again, in Unix milliseconds. Null while it answers and only media is missing. */
  retryAtMs: number | null
  onTryNow: () => void
}

/** Shown over the stage while the connection to the server is broken. */
export function ConnectionBanner({ retryAtMs, onTryNow }: ConnectionBannerProps) {
  const seconds = useSecondsUntil(retryAtMs)
  return (
    <div className="absolute inset-x-3 top-3 z-10 mx-auto flex w-fit items-center gap-3 rounded-full bg-warning-soft py-2 pr-2 pl-4 text-sm font-medium text-warning-ink shadow-float animate-appear">
      <Spinner />
      <span role="alert">Connection lost. Reconnecting…</span>
      {retryAtMs === null ? (
        <span className="pr-2" />
      ) : (
        <>
          <span role="timer" aria-live="off" className="tabular-nums">
            {seconds > 0 ? `Next try in ${seconds} s` : 'Trying…'}
          </span>
          <Button size="small" className="rounded-full" onClick={onTryNow}>
            Try now
          </Button>
        </>
      )}
    </div>
  )
}
