import { pino } from 'pino'
import { systemClock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { openCluster } from '../cluster/open-cluster.ts'
import { readConfig } from '../config.ts'

/** Makes a node without a server. @param prefix nodes of one prefix are a cluster */
export function natsNode(url: string, prefix: string, name: string): Promise<Cluster> {
  const config = readConfig({
    PARLEY_DATABASE_URL: 'postgres://nowhere/x',
    PARLEY_NATS_URL: url,
    PARLEY_NATS_PREFIX: prefix,
    PARLEY_NODE_NAME: name,
    PARLEY_NODE_ADDRESS: '127.0.0.1:1',
  })
  const self = {
    version: '1',
    load: () => ({ media: 0, sessions: 0, members: 0 }),
    isDraining: () => false,
  }
  return openCluster(config, self, { clock: systemClock, log: pino({ enabled: false }) })
}
