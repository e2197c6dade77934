import type { Connection, ConnectionEvents } from './connection.ts'
import type { RtcSettings } from './rtc-settings.ts'
import type { IceDescription } from './sdp/offer.ts'

/** Each is loaded only where it serves: a library that is not used takes no memory and has no faults. */
const libdatachannel = {
  connection: () => import('./native-connection.ts'),
  port: () => import('./shared-port.ts'),
}
const openssl = {
  connection: () => import('./openssl/openssl-connection.ts'),
  port: () => import('./openssl/media-port.ts'),
}

/** What gives back the ports and threads of the transports that are loaded. */
const releases = new Set<() => void>()

/**
 * Opens a connection for a browser's description, by the transport that the settings name.
 * @returns the connection, and our description of it
 * @throws {SdpError} where the description is not usable; nothing is left open then
 */
export async function openConnection(
  rtc: RtcSettings,
  remote: IceDescription,
  events: ConnectionEvents,
): Promise<{ connection: Connection; local: IceDescription }> {
  await takePort(rtc)
  if (rtc.transport === 'openssl') {
    const { OpenSslConnection } = await openssl.connection()
    const connection = new OpenSslConnection(rtc, remote, events)
    return { connection, local: connection.local }
  }
  const { sharedPort } = await libdatachannel.port()
  const { NativeConnection } = await libdatachannel.connection()
  const connection = new NativeConnection(rtc, await sharedPort(rtc), remote, events)
  try {
    return { connection, local: await connection.describe(rtc.announcedIp) }
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * Takes the UDP port that all connections of this process share, if it is not taken yet.
 * @throws where no port of the range is free
 */
export async function takePort(rtc: RtcSettings): Promise<void> {
  if (rtc.transport === 'openssl') {
    const { MediaPort } = await openssl.port()
    releases.add(MediaPort.release)
    MediaPort.of(rtc)
    return
  }
  const { releaseNativeTransports } = await libdatachannel.connection()
  releases.add(releaseNativeTransports)
  const { sharedPort } = await libdatachannel.port()
  await sharedPort(rtc)
}

/** Lets the process exit, which ports and native threads would keep alive. No connection can be used afterwards. */
export function releaseTransports(): void {
  for (const release of releases) release()
}
