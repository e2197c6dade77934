import { t } from '../../languages/texts.ts'
import { ScreenHead } from '../screen-head.tsx'
import { CheckupCard } from './checkup-card.tsx'
import { LiveFigures } from './live-figures.tsx'
import { ProblemsCard } from './problems-card.tsx'
import { StorageCard } from './storage-card.tsx'
import { UsageCard } from './usage-card.tsx'
import { WorkersCard } from './workers-card.tsx'

/** What happens now, what was used, and what needs attention. */
export function OverviewScreen() {
  return (
    <>
      <ScreenHead title={t('dashboard.overview')} />
      <div className="space-y-5">
        <LiveFigures />
        <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <div className="min-w-0 space-y-5">
            <UsageCard />
            <ProblemsCard />
          </div>
          <div className="min-w-0 space-y-5">
            <CheckupCard />
            <WorkersCard />
            <StorageCard />
          </div>
        </div>
      </div>
    </>
  )
}
