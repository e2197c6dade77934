import type { Gauge, Registry } from 'prom-client'
import { type FigureSources, serverFigures } from './server-figures.ts'

const PREFIX = 'parley_'

/** The figures of the server in the text format of Prometheus. */
export interface Metrics {
  /** Media type of the text. */
  readonly contentType: string
  /** The figures at the moment. It reads memory alone. */
  text(): Promise<string>
}

/**
 * Creates {@link Metrics}. What writes the figures is loaded when they are asked for the first time, because most servers are
 * never asked.
 */
export function createMetrics(sources: FigureSources): Metrics {
  let gauges: Promise<ServerGauges> | undefined
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    async text() {
      gauges ??= createGauges(sources)
      return showNow(await gauges, sources)
    },
  }
}

interface ServerGauges {
  registry: Registry
  byName: ReadonlyMap<string, Gauge>
}

async function createGauges(sources: FigureSources): Promise<ServerGauges> {
  const { collectDefaultMetrics, Gauge, Registry } = await import('prom-client')
  const registry = new Registry()
  // Those of the main process: its processor time, memory, event loop and garbage collection.
  collectDefaultMetrics({ register: registry, prefix: PREFIX })
  const byName = new Map(
    serverFigures(sources).map(({ name, help, samples }) => {
      const labelNames = Object.keys(samples[0]?.labels ?? {})
      return [name, new Gauge({ name: PREFIX + name, help, labelNames, registers: [registry] })]
    }),
  )
  return { registry, byName }
}

function showNow({ registry, byName }: ServerGauges, sources: FigureSources): Promise<string> {
  for (const { name, samples } of serverFigures(sources)) {
    const gauge = byName.get(name)
    for (const { value, labels = {} } of samples) gauge?.set(labels, value)
  }
  return registry.metrics()
}
