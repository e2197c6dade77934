import type { Connection, ConnectionState } from './connection.ts'
import type { IceRelay } from './ice/ice-relay.ts'
import { openConnection } from './open-connection.ts'
import { TransportFeedback } from './receiving/transport-feedback.ts'
import type { RtcSettings } from './rtc-settings.ts'
import type { IceDescription, OfferedIce } from './sdp/offer.ts'
import { DownlinkEstimate } from './sending/congestion/downlink-estimate.ts'

/** How long the old connection is listened to after an ICE restart. */
const HANDOVER_MS = 5000
/** Browsers end the old connection as soon as they have the answer to a restart. For this long that is not a failure. */
const RESTART_GRACE_MS = 3000

/** Loaded with its first use: the OpenSSL transport needs none, and it brings libdatachannel. */
async function openRelay(
  rtc: RtcSettings,
  native: IceDescription,
  remote: OfferedIce,
): Promise<IceRelay | null> {
  const { IceRelay } = await import('./ice/ice-relay.ts')
  return IceRelay.open(rtc, native, remote)
}

export interface MediaPipeEvents {
  onPacket(packet: Buffer): void
  onState(state: ConnectionState): void
}

/** A connection that is open on our side and waits for the browser to take the answer. */
export interface OpenedConnection {
  connection: Connection
  remote: OfferedIce
  /** Ours, as the browser is told. */
  local: IceDescription
  /** Ours, as the connection itself has it: another one where a relay stands between. */
  native: IceDescription
  relay: IceRelay | null
}

/** Ends a connection that no pipe has taken over, or no more. Idempotent. */
export function closeOpened({ connection, relay }: OpenedConnection): void {
  relay?.close()
  connection.close()
}

/**
 * The path to and from one transport of a browser. It outlives ICE restarts: the native side cannot restart, so a new
 * connection with its own certificate takes over once it is up, and the old one is closed a little later.
 */
export class MediaPipe {
  /** Transport-wide feedback goes on over a restart, as the browser's numbers do. */
  readonly feedback = new TransportFeedback()
  /** What the way to the browser carries. Its numbers go on over a restart, too. */
  readonly downlink = new DownlinkEstimate()
  /** `performance.now()` of the last packet from the browser. */
  heardAtMs = 0
  readonly #events: MediaPipeEvents
  readonly #retired = new Map<OpenedConnection, NodeJS.Timeout>()
  #current: OpenedConnection
  #successor: OpenedConnection | null = null
  #succeededAtMs = 0
  #closed = false

  /** @param opened the first connection, see {@link MediaPipe.open} */
  constructor(opened: OpenedConnection, events: MediaPipeEvents) {
    this.#current = opened
    this.#events = events
  }

  /**
   * Opens a connection for a browser's description.
   * @param route where the connection delivers its packets; the pipe that takes it over sets itself here
   * @throws {SdpError} where the description is not usable; nothing is left open then
   */
  static async open(
    rtc: RtcSettings,
    remote: OfferedIce,
    route: { pipe: MediaPipe | null },
  ): Promise<OpenedConnection> {
    const { connection, local: native } = await openConnection(rtc, remote, {
      onPacket: (packet) => route.pipe?.onPacket(packet),
      onState: (state) => route.pipe?.onConnectionState(connection, state),
    })
    try {
      const needsRelay = (remote.hidden || remote.relayedOverTcp) && !connection.restart
      const relay = needsRelay ? await openRelay(rtc, native, remote) : null
      return { connection, remote, local: relay?.begin(remote) ?? native, native, relay }
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** The browser's and our description of the latest connection. */
  get description(): { remote: OfferedIce; local: IceDescription } {
    return this.#successor ?? this.#current
  }

  get state(): ConnectionState {
    const { state } = this.#current.connection
    if (!this.#successor || state === 'connected' || state === 'connecting') return state
    // A restart may still succeed.
    return performance.now() - this.#succeededAtMs < RESTART_GRACE_MS ? 'connected' : 'disconnected'
  }

  get connected(): boolean {
    return this.#current.connection.connected
  }

  /** Sends a packet, which is copied. Returns whether it went out. */
  send(packet: Buffer): boolean {
    return this.#current.connection.send(packet)
  }

  /** {@link send}, for a packet of a run: see {@link Connection.enqueue}. */
  enqueue(packet: Buffer): boolean {
    return this.#current.connection.enqueue(packet)
  }

  flush(): void {
    this.#current.connection.flush()
  }

  /** Whether the connection itself can restart ICE, so that neither another connection nor a relay is needed. */
  get restarts(): boolean {
    return this.#current.connection.restart !== null
  }

  /**
   * ICE restart over the connection that there is, where it {@link restarts}.
   * @throws {SdpError} where the browser's description is not usable; nothing has changed then
   */
  restart(remote: OfferedIce): void {
    const current = this.#current
    const local = current.connection.restart?.(remote)
    if (local) this.#current = { ...current, remote, local }
  }

  /**
   * ICE restart for a browser that insists on the DTLS association it has: the connection stays, and is reached through
   * a relay.
   * @returns false where there is no port for a relay; nothing has changed then
   */
  async restartThroughRelay(rtc: RtcSettings, remote: OfferedIce): Promise<boolean> {
    const current = this.#current
    const relay = current.relay ?? (await openRelay(rtc, current.native, current.remote))
    if (!relay) return false
    // In the meantime this pipe may have been closed, or another connection may have taken over.
    if (this.#closed || current !== this.#current) {
      relay.close()
      return false
    }
    this.#dropSuccessor()
    this.#current = { ...current, remote, local: relay.begin(remote), relay }
    return true
  }

  /** ICE restart: this connection takes over once it is up. */
  succeed(opened: OpenedConnection): void {
    this.#dropSuccessor()
    this.#successor = opened
    this.#succeededAtMs = performance.now()
    this.onConnectionState(opened.connection, opened.connection.state)
  }

  onPacket(packet: Buffer): void {
    if (this.#closed) return
    this.heardAtMs = performance.now()
    this.#events.onPacket(packet)
  }

  onConnectionState(connection: Connection, state: ConnectionState): void {
    if (this.#closed) return
    if (state === 'connected') this.heardAtMs = performance.now()
    if (connection === this.#successor?.connection) {
      if (state === 'connected') this.#handOver()
      else if (state === 'failed') this.#dropSuccessor()
    }
    this.#events.onState(this.state)
  }

  #dropSuccessor(): void {
    if (this.#successor) closeOpened(this.#successor)
    this.#successor = null
  }

  #handOver(): void {
    const old = this.#current
    this.#current = this.#successor!
    this.#successor = null
    const timer = setTimeout(() => {
      this.#retired.delete(old)
      closeOpened(old)
    }, HANDOVER_MS)
    this.#retired.set(old, timer)
  }

  /** Closes all connections. Idempotent. */
  close(): void {
    this.#closed = true
    closeOpened(this.#current)
    this.#dropSuccessor()
    for (const [opened, timer] of this.#retired) {
      clearTimeout(timer)
      closeOpened(opened)
    }
    this.#retired.clear()
  }
}
