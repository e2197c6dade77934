import { t } from '../languages/texts.ts'
import { Spinner } from '../ui/spinner.tsx'

/** Shown while the call is being set up. */
export function JoiningScreen({ roomTitle }: { roomTitle: string }) {
  return (
    <main className="grid min-h-full place-items-center p-6">
      <div role="status" className="text-center">
        <Spinner className="mx-auto size-7 text-accent" />
        <p className="mt-4 text-lg font-semibold tracking-tight">{t('guest.joining', { room: roomTitle })}</p>
        <p className="mt-1 text-sm text-ink-soft">{t('guest.joining-hint')}</p>
      </div>
    </main>
  )
}
