import { pino } from 'pino'
import { systemClock } from '../clock.ts'
import type { Cluster, NodeLoad } from '../cluster/cluster.ts'
import { openCluster } from '../cluster/open-cluster.ts'
import { readConfig } from '../config.ts'

/** What makes a node differ from the others. */
export interface NatsNodeOptions {
  address?: string
  version?: string
  load?: NodeLoad
  /** How far its clock is ahead. */
  aheadMs?: number
}

/** Makes a node without a server. @param prefix nodes of one prefix are a cluster */
export function natsNode(
  url: string,
  prefix: string,
  name: string,
  {
    address = '127.0.0.1:1',
    version = '1',
    load = { media: 0, sessions: 0, members: 0 },
    aheadMs = 0,
  }: NatsNodeOptions = {},
): Promise<Cluster> {
  const config = readConfig({
    PARLEY_DATABASE_URL: 'postgres://nowhere/x',
    PARLEY_NATS_URL: url,
    PARLEY_NATS_PREFIX: prefix,
    PARLEY_NODE_NAME: name,
    PARLEY_NODE_ADDRESS: address,
  })
  const self = {
    version,
    pages: '',
    load: () => load,
    isDraining: () => false,
  }
  return openCluster(config, self, {
    clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
    log: pino({ enabled: false }),
  })
}
