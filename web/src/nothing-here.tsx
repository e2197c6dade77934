import { Compass } from 'lucide-react'
import { Link } from 'wouter'
import { t } from './languages/texts.ts'
import { routeHref } from './routes.ts'
import { buttonClass } from './ui/button.tsx'
import { useTitle } from './use-title.ts'

/** The page at an address that leads nowhere. */
export function NothingHere() {
  useTitle(t('host.nothing-here'))
  return (
    <main className="grid min-h-full place-items-center px-5 py-10">
      <div className="flex max-w-md flex-col items-center text-center">
        <div
          aria-hidden
          className="mb-4 grid size-12 place-items-center rounded-lg bg-accent-soft text-accent"
        >
          <Compass className="size-6" />
        </div>
        <h1 className="text-2xl font-semibold tracking-tight">{t('host.nothing-here')}</h1>
        <p className="mt-2 text-ink-soft">{t('host.nothing-here-hint')}</p>
        <Link
          href={routeHref({ screen: 'lobby', roomName: null })}
          className={`${buttonClass({ kind: 'primary' })} mt-7`}
        >
          {t('host.go-to-rooms')}
        </Link>
      </div>
    </main>
  )
}
