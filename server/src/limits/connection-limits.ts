import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { ConnectionPool } from './connection-pool.ts'
import type { CountExchange } from './count-exchange.ts'
import { FailedSignIns } from './failed-sign-ins.ts'
import { connectionsWithin, fileDescriptorLimit } from './file-descriptors.ts'
import { LimitLog } from './limit-log.ts'
import { RefusedSignIns } from './refused-sign-ins.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/** Limits that all connections share. */
export interface ConnectionLimits {
  connections: ConnectionPool
  failedSignIns: FailedSignIns
  refusedSignIns: RefusedSignIns
  /** What all nodes count together. */
  counts: CountExchange
}

/** Creates the limits. The configured number of connections is reduced to fit the file descriptors of the process. */
export function createConnectionLimits(
  config: Config,
  proxies: TrustedProxies,
  counts: CountExchange,
  log: Logger,
): ConnectionLimits {
  const fileDescriptors = fileDescriptorLimit()
  const maxConnections = connectionsWithin(config.maxConnections, fileDescriptors)
  if (maxConnections < config.maxConnections) {
    const message = 'the file descriptors are too few for PARLEY_MAX_CONNECTIONS: see parley doctor'
    log.warn({ fileDescriptors, maxConnections }, message)
  }
  const limitLog = new LimitLog(log)
  return {
    connections: new ConnectionPool({ ...config, maxConnections }, proxies, limitLog),
    failedSignIns: new FailedSignIns(config.failedSignInsPerMinute, limitLog, counts),
    refusedSignIns: new RefusedSignIns(log),
    counts,
  }
}
