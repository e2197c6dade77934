import { Spinner } from '../ui/spinner.tsx'

/** Shown over the stage while the way to the server is broken. */
export function ConnectionBanner() {
  return (
    <div
      role="alert"
      className="absolute inset-x-3 top-3 z-10 mx-auto flex w-fit items-center gap-3 rounded-full bg-warning-soft px-4 py-2 text-sm font-medium text-warning-ink shadow-float animate-appear"
    >
      <Spinner />
      Connection lost. Reconnecting…
    </div>
  )
}
