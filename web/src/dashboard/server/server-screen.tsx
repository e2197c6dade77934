import { useQuery } from '@tanstack/react-query'
import { LockKeyhole } from 'lucide-react'
import { ApiError } from '../../api/api-error.ts'
import { t } from '../../languages/texts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { CheckupCard } from '../overview/checkup-card.tsx'
import { WorkersCard } from '../overview/workers-card.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { BackupsCard } from './backups-card.tsx'
import { ConfigurationCard } from './configuration-card.tsx'
import { DrainCard } from './drain-card.tsx'
import { LogCard } from './log-card.tsx'
import { serverVersion } from './server-queries.ts'
import { VersionCard } from './version-card.tsx'

/** The server as a whole, for those who operate it. */
export function ServerScreen() {
  const { client } = useDashboard()
  const version = useQuery(serverVersion(client))
  const isForOthers = version.error instanceof ApiError && version.error.status === 403
  return (
    <>
      <ScreenHead title={t('dashboard.server')} />
      {isForOthers ? (
        <EmptyState
          icon={<LockKeyhole className="size-6" />}
          title={t('server.operators-only')}
          hint={t('server.operators-only-hint')}
        />
      ) : (
        <div className="grid items-start gap-5 lg:grid-cols-2">
          <VersionCard query={version} />
          <DrainCard />
          <WorkersCard />
          <CheckupCard />
          <BackupsCard />
          <LogCard />
          <ConfigurationCard />
        </div>
      )}
    </>
  )
}
