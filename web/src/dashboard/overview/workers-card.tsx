import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import type { TextId } from '../../languages/catalogs.ts'
import { numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { classNames } from '../../ui/class-names.ts'
import { Asking } from '../asking.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { keys, type MediaWorker, mediaWorkers, type WorkerLoad } from '../dashboard-queries.ts'

const STATES: Readonly<Record<MediaWorker['state'], TextId>> = {
  ready: 'dashboard.worker-ready',
  starting: 'dashboard.worker-starting',
  portless: 'dashboard.worker-portless',
}
/** What a worker gives up: its last step includes those before it. */
const STEPS: Readonly<Record<Exclude<MediaWorker['overload_step'], 'none'>, TextId>> = {
  'still-rooms': 'dashboard.overload-still-rooms',
  'small-cameras': 'dashboard.overload-small-cameras',
  'fast-encoding': 'dashboard.overload-fast-encoding',
  'fps-15': 'dashboard.overload-fps-15',
  'fps-10': 'dashboard.overload-fps-10',
  'no-rooms': 'dashboard.overload-no-rooms',
  'no-audience': 'dashboard.overload-no-audience',
}
/** A worker that uses more of a processor than this has little left for another room. */
const BUSY = 0.85

/** Load and ports of the media workers, for those who may see the server. */
export function WorkersCard() {
  const { client } = useDashboard()
  const query = useQuery(mediaWorkers(client))
  // The event stream puts it there, every two seconds.
  const { data: loads } = useQuery<readonly WorkerLoad[]>({ queryKey: keys.workerLoads, enabled: false })
  if (query.error instanceof ApiError && query.error.status === 403) return null
  return (
    <Card title={t('dashboard.workers')}>
      <Asking query={query} placeholder="h-20">
        {({ data }) => (
          <ul className="space-y-4">
            {data.map((worker) => (
              <Worker key={worker.first_port} worker={withLoad(worker, loads)} />
            ))}
          </ul>
        )}
      </Asking>
    </Card>
  )
}

/** A worker with its newest load. */
function withLoad(worker: MediaWorker, loads: readonly WorkerLoad[] = []): MediaWorker {
  const newest = loads.find(({ ports }) => ports.first === worker.first_port)
  if (!newest) return worker
  const { cpu, rooms, legs, step } = newest.load
  return { ...worker, state: newest.state, cpu, rooms, legs, overload_step: step }
}

function Worker({ worker }: { worker: MediaWorker }) {
  const { first_port, last_port, state, cpu, rooms, legs, overload_step } = worker
  // Isolated, because Arabic would show the last port first.
  const ports = `\u2066${first_port}–${last_port}\u2069`
  return (
    <li className="text-sm">
      <p className="flex flex-wrap justify-between gap-x-3">
        <span className="font-medium">{t('dashboard.worker-ports', { ports })}</span>
        <span className={state === 'ready' ? 'text-live' : 'text-warning-ink'}>{t(STATES[state])}</span>
      </p>
      <div aria-hidden className="my-2 h-2 overflow-hidden rounded-full bg-sunken">
        <span
          className={classNames('block h-full', cpu > BUSY ? 'bg-danger' : 'bg-accent')}
          style={{ width: `${Math.min(100, cpu * 100)}%` }}
        />
      </div>
      <p className="text-ink-soft tabular-nums">
        {t('dashboard.worker-load', {
          load: numberText(cpu, { style: 'percent', maximumFractionDigits: 0 }),
          rooms,
          legs,
        })}
      </p>
      {overload_step !== 'none' && <p className="text-warning-ink">{t(STEPS[overload_step])}</p>}
    </li>
  )
}
