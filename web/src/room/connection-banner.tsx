import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { useSecondsUntil } from './use-seconds-until.ts'

interface ConnectionBannerProps {
  /** When the server is asked again, in Unix milliseconds. Null while it answers and only media is missing. */
  retryAtMs: number | null
  /** Server and media can be reached, but no picture comes. */
  isPictureOnly: boolean
  onTryNow: () => void
}

/** Shown over the stage while the connection to the server is broken, or its picture has stopped. */
export function ConnectionBanner({ retryAtMs, isPictureOnly, onTryNow }: ConnectionBannerProps) {
  const seconds = useSecondsUntil(retryAtMs)
  return (
    <div className="absolute inset-x-3 top-3 z-10 mx-auto flex w-fit items-center gap-3 rounded-full bg-warning-soft py-2 pe-2 ps-4 text-sm font-medium text-warning-ink shadow-float animate-appear">
      <Spinner />
      <span role="alert">{t(isPictureOnly ? 'meeting.picture-stopped' : 'meeting.reconnecting')}</span>
      {retryAtMs === null ? (
        <span className="pe-2" />
      ) : (
        <>
          <span role="timer" aria-live="off" className="tabular-nums">
            {seconds > 0 ? t('meeting.next-try-in', { seconds }) : t('meeting.trying')}
          </span>
          <Button size="small" className="rounded-full" onClick={onTryNow}>
            {t('meeting.try-now')}
          </Button>
        </>
      )}
    </div>
  )
}
