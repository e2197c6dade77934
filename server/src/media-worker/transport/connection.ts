import type { IceDescription } from './sdp/offer.ts'

/** `failed` is final. */
export type ConnectionState = 'connecting' | 'connected' | 'disconnected' | 'failed'

export interface ConnectionEvents {
  /** A decrypted RTP or RTCP packet. The buffer belongs to the receiver. */
  onPacket(packet: Buffer): void
  onState(state: ConnectionState): void
}

/** One ICE and DTLS-SRTP transport to a browser, as a pipe for RTP and RTCP packets. SDP, RTCP and streams are ours. */
export interface Connection {
  readonly state: ConnectionState
  /** Whether packets can be sent and arrive. */
  readonly connected: boolean
  /** Sends an RTP or RTCP packet, which is copied. Returns whether it went out. */
  send(packet: Buffer): boolean
  /**
   * The same for an RTP packet of a run to one receiver: several of one size, the last of which may be shorter, cost less than
   * each by itself. It goes out at the latest with {@link flush}, or when anything else is sent.
   */
  enqueue(packet: Buffer): boolean
  flush(): void
  /**
   * ICE restart over the DTLS association that there is. Null where a restart needs a new connection.
   * @param remote the browser's description with its new credentials
   * @returns ours
   * @throws {SdpError} where the browser's description is not usable; nothing has changed then
   */
  readonly restart: ((remote: IceDescription) => IceDescription) | null
  /** Ends the transport. Idempotent. */
  close(): void
}
