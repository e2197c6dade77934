import type { TransportName } from './rtc-settings.ts'

export interface TransportChoice {
  transport: TransportName
  /** Why it is not the one that was asked for; null where it is. */
  obstacle: string | null
}

/**
 * Chooses what carries the connections: what was asked for, or libdatachannel where a trial shows that OpenSSL cannot serve
 * on this system.
 */
export async function chooseTransport(wanted: TransportName): Promise<TransportChoice> {
  const obstacle = wanted === 'openssl' ? await obstacleToOpenSsl() : null
  return { transport: obstacle === null ? wanted : 'libdatachannel', obstacle }
}

/** @returns what stands against the OpenSSL transport on this system, or null */
export async function obstacleToOpenSsl(): Promise<string | null> {
  // The structures of its system calls are those of 64-bit Linux.
  const system = `${process.platform} ${process.arch}`
  if (system !== 'linux x64' && system !== 'linux arm64')
    return `it is made for 64-bit Linux, not for ${system}`
  try {
    // Loading it binds all functions that it calls, so it fails where one is missing.
    const { tryOpenSsl } = await import('./openssl/trial.ts')
    await tryOpenSsl()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
