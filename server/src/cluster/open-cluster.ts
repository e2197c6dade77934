import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { aloneCluster } from './alone.ts'
import type { Cluster, SelfDescription } from './cluster.ts'

/**
 * Makes this server a node of the configured cluster. Without one, nothing is loaded and nothing connected.
 * @throws CannotJoinCluster
 */
export async function openCluster(
  config: Config,
  self: SelfDescription,
  { clock, log }: { clock: Clock; log: Logger },
): Promise<Cluster> {
  const { natsUrls, nodeAddress, nodeName } = config
  if (natsUrls === null || nodeAddress === null) return aloneCluster(nodeName, self)
  const { openNatsCluster } = await import('./nats/nats-cluster.ts')
  return openNatsCluster({ ...config, natsUrls, nodeAddress }, self, { clock, log })
}
