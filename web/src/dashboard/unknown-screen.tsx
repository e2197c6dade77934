import { Compass } from 'lucide-react'
import { Link } from 'wouter'
import { t } from '../languages/texts.ts'
import { buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { useTitle } from '../use-title.ts'
import { DASHBOARD } from './addresses.ts'

/** An address below the dashboard that leads nowhere. */
export function UnknownScreen() {
  useTitle(t('dashboard.unknown'))
  return (
    <EmptyState
      icon={<Compass className="size-6" />}
      title={t('dashboard.unknown')}
      hint={t('dashboard.unknown-hint')}
    >
      <Link href={DASHBOARD} className={buttonClass({ kind: 'primary' })}>
        {t('dashboard.to-overview')}
      </Link>
    </EmptyState>
  )
}
