import { Radio } from 'lucide-react'
import { t } from '../../languages/texts.ts'

/** Shows everybody that the meeting is sent to other addresses. */
export function StreamingBadge() {
  return (
    <span className="inline-flex shrink-0 items-center gap-2 rounded-full bg-danger-soft px-3 py-1 text-sm font-semibold text-danger-ink">
      <Radio aria-hidden className="size-4" />
      <span role="status" className="sr-only sm:not-sr-only">
        {t('panels.streaming')}
      </span>
    </span>
  )
}
