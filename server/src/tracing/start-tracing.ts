import type { Config } from '../config.ts'
import { useTracing } from './spans.ts'

/**
 * Switches tracing on where a collector is configured. Only then is anything loaded for it.
 * @returns sends what is left, and switches it off
 */
export async function startTracing(
  { otlpEndpoint, nodeName }: Pick<Config, 'otlpEndpoint' | 'nodeName'>,
  version: string,
): Promise<() => Promise<void>> {
  if (otlpEndpoint === null) return async () => {}
  const { openTelemetry } = await import('./open-telemetry.ts')
  const { tracing, stop } = openTelemetry(otlpEndpoint, { version, instance: nodeName })
  useTracing(tracing)
  return async () => {
    useTracing(null)
    await stop()
  }
}
