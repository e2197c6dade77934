import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { ConnectionPool } from './connection-pool.ts'
import { FailedSignIns } from './failed-sign-ins.ts'
import { connectionsWithin, fileDescriptorLimit } from './file-descriptors.ts'
import { LimitLog } from './limit-log.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/** What everybody who connects shares. */
export interface ConnectionLimits {
  connections: ConnectionPool
  failedSignIns: FailedSignIns
}

/** Fits the limits of the configuration to the file descriptors that the process may have. */
export function createConnectionLimits(
  config: Config,
  proxies: TrustedProxies,
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
    failedSignIns: new FailedSignIns(config.failedSignInsPerMinute, limitLog),
  }
}
