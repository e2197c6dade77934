import { classNames } from '../ui/class-names.ts'

/** The method of a request. Those that change something stand out. */
export function MethodBadge({ method }: { method: string }) {
  const changes = method !== 'GET' && method !== 'HEAD'
  return (
    <span
      className={classNames(
        'inline-block rounded-sm px-1.5 py-0.5 font-mono text-xs font-semibold',
        changes ? 'bg-accent-soft text-accent-strong' : 'bg-sunken text-ink-soft',
      )}
    >
      {method}
    </span>
  )
}

/** The status of an answer; green, yellow or red by its class. */
export function StatusText({ status }: { status: number }) {
  const tone = status >= 500 ? 'text-danger-ink' : status >= 400 ? 'text-warning-ink' : 'text-live'
  return <span className={classNames('font-mono text-sm font-semibold tabular-nums', tone)}>{status}</span>
}
