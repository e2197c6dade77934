import type { Resources } from '@parley/api-client'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Asking } from '../asking.tsx'
import { Card } from '../card.tsx'

interface VersionCardProps {
  query: { data: Resources['ServerVersion'] | undefined; error: Error | null; refetch: () => unknown }
}

/** What runs, and since when. */
export function VersionCard({ query }: VersionCardProps) {
  return (
    <Card title={t('server.version')}>
      <Asking query={query} placeholder="h-24">
        {({ version, node, platform, started_at }) => (
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 text-sm">
            <Fact name="Parley" value={version} />
            <Fact name={t('server.node')} value={node} />
            <Fact name={t('server.platform')} value={platform} />
            <Fact
              name={t('server.since')}
              value={dateText(started_at, { dateStyle: 'medium', timeStyle: 'short' })}
            />
          </dl>
        )}
      </Asking>
    </Card>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="break-words tabular-nums">
        <bdi>{value}</bdi>
      </dd>
    </>
  )
}
