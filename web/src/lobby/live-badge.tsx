import { t } from '../languages/texts.ts'
/** Marks a room with people in it. */
export function LiveBadge({ count }: { count?: number | undefined }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-1.5 rounded-full bg-live-soft px-2.5 py-0.5 text-xs font-semibold text-live">
      <span aria-hidden className="size-1.5 animate-pulse-dot rounded-full bg-live" />
      {count === undefined ? t('host.live') : t('host.live-count', { count })}
      {count !== undefined && <span className="sr-only">{t('host.live-people', { count })}</span>}
    </span>
  )
}
