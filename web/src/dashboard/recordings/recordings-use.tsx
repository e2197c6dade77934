import { useQuery } from '@tanstack/react-query'
import { numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { sizeText } from '../../recordings/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { recordingQuota } from './recording-queries.ts'

/** From this share of the quota on somebody should do something. The server notes an event there. */
const NEARLY_FULL = 0.8

/** How much room the recordings of the project take, and a warning where their quota is nearly or all used. */
export function RecordingsUse() {
  const { client } = useDashboard()
  const { data } = useQuery(recordingQuota(client))
  if (!data) return null
  const { used_in_bytes, quota_in_bytes } = data
  const used = sizeText(used_in_bytes)
  if (quota_in_bytes === null) {
    return <p className="mb-3 text-sm text-ink-soft">{t('recordings.used', { used })}</p>
  }
  const share = used_in_bytes / quota_in_bytes
  return (
    <div className="mb-3 space-y-3">
      <p className="text-sm text-ink-soft">
        {t('recordings.used-of-quota', { used, quota: sizeText(quota_in_bytes) })}
      </p>
      {share >= 1 && (
        <Notice tone="danger" title={t('recordings.quota-full')} hint={t('recordings.quota-full-hint')} />
      )}
      {share >= NEARLY_FULL && share < 1 && (
        <Notice
          tone="warning"
          title={t('recordings.quota-nearly-full', {
            share: numberText(share, { style: 'percent', maximumFractionDigits: 0, roundingMode: 'floor' }),
          })}
          hint={t('recordings.quota-nearly-full-hint')}
        />
      )}
    </div>
  )
}
