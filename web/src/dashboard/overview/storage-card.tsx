import { useQuery } from '@tanstack/react-query'
import { t } from '../../languages/texts.ts'
import { sizeText } from '../../recordings/format.ts'
import { Asking } from '../asking.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { storageUse } from '../dashboard-queries.ts'

/** Space that recordings take, and what is left. */
export function StorageCard() {
  const { client } = useDashboard()
  const query = useQuery(storageUse(client))
  return (
    <Card title={t('dashboard.storage')}>
      <Asking query={query} placeholder="h-20">
        {({ recordings, recordings_bytes, free_bytes, total_bytes }) => {
          const percent = (bytes: number) => `${(100 * bytes) / Math.max(1, total_bytes)}%`
          return (
            <>
              <p className="text-sm">
                {t('dashboard.storage-left', { free: sizeText(free_bytes), total: sizeText(total_bytes) })}
              </p>
              <div aria-hidden className="my-3 flex h-2.5 overflow-hidden rounded-full bg-sunken">
                <span className="bg-accent" style={{ width: percent(recordings_bytes) }} />
                <span
                  className="bg-line-strong"
                  style={{ width: percent(Math.max(0, total_bytes - free_bytes - recordings_bytes)) }}
                />
              </div>
              <p className="text-sm text-ink-soft">
                {t('dashboard.storage-recordings', { count: recordings, size: sizeText(recordings_bytes) })}
              </p>
            </>
          )
        }}
      </Asking>
    </Card>
  )
}
