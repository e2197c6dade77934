import type { Connection, ConnectionEvents } from './connection.ts'
import { NativeConnection, releaseNativeTransports } from './native-connection.ts'
import type { RtcSettings } from './rtc-settings.ts'
import type { IceDescription } from './sdp/offer.ts'
import { sharedPort } from './shared-port.ts'

/** Loaded only where it serves: not every system has what it calls. */
const openssl = {
  connection: () => import('./openssl/openssl-connection.ts'),
  port: () => import('./openssl/media-port.ts'),
}

/** Gives the ports of the OpenSSL transport back, once it is loaded. */
let releaseOpenSsl = (): void => {}

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
  if (rtc.transport !== 'openssl') {
    await sharedPort(rtc)
    return
  }
  const { MediaPort } = await openssl.port()
  releaseOpenSsl = () => MediaPort.release()
  MediaPort.of(rtc)
}

/** Lets the process exit, which ports and native threads would keep alive. No connection can be used afterwards. */
export function releaseTransports(): void {
  releaseOpenSsl()
  releaseNativeTransports()
}
