import type { Registry } from 'prom-client'
import { exposed } from './exposition.ts'
import type { FigureSources } from './figure.ts'
import { serverFigures } from './server-figures.ts'

const PREFIX = 'parley_'

/** The figures of the server in the text format of Prometheus. */
export interface Metrics {
  /** Media type of the text. */
  readonly contentType: string
  /** The figures at the moment. */
  text(): Promise<string>
}

/**
 * Creates {@link Metrics}. What measures the main process is loaded when the figures are asked for the first time, because most
 * servers are never asked.
 */
export function createMetrics(sources: FigureSources): Metrics {
  let process: Promise<Registry> | undefined
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    async text() {
      process ??= measureProcess()
      const figures = await serverFigures(sources)
      const ofProcess = await (await process).metrics()
      return `${figures.map((figure) => exposed(figure, PREFIX)).join('\n\n')}\n\n${ofProcess}`
    },
  }
}

/** The main process: its processor time, memory, event loop and garbage collection. */
async function measureProcess(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  const register = new Registry()
  collectDefaultMetrics({ register, prefix: PREFIX })
  // Gauges with the names of counters. Those by type say the same.
  for (const what of ['handles', 'requests', 'resources']) {
    register.removeSingleMetric(`${PREFIX}nodejs_active_${what}_total`)
  }
  return register
}
