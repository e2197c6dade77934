import type { TransportAddress } from './transport-address.ts'

/** Who decides which pair of addresses is used (RFC 8445, section 3). Browsers that make the offer are `controlling`. */
export type IceRole = 'controlling' | 'controlled'

/**
 * `checking`: no path yet. `connected`: there is a path, and its other end answers. `disconnected`: it has not answered for
 * some seconds; data may still be sent. `failed`: no path was found, or the consent to send on it is gone; nothing can be
 * sent until {@link IceAgent.restart}. `closed` is final.
 */
export type IceState = 'checking' | 'connected' | 'disconnected' | 'failed' | 'closed'

/** What SDP tells of one side: `ice-ufrag`, `ice-pwd`, and the values of its `candidate` lines. */
export interface IceParameters {
  readonly usernameFragment: string
  readonly password: string
  /** As in SDP, without `a=candidate:`. Those of the other side may be anything; unusable ones are ignored. */
  readonly candidates: readonly string[]
}

/**
 * A UDP socket of the owner, or one address of a socket that the owner can send from by choice. The agent reads these fields,
 * and gives the object itself back where something is to be sent.
 */
export interface LocalSocket {
  readonly family: 4 | 6
  /** The bound port. */
  readonly port: number
  /** Numeric addresses at which the other side reaches this socket, the best first. See `hostAddresses`. */
  readonly addresses: readonly string[]
}

/** One way to the other side: from where to where. */
export interface IcePath<Socket extends LocalSocket> {
  readonly socket: Socket
  readonly remote: TransportAddress
}

/** What an agent tells its owner. All are called from within {@link IceAgents.onStun} or {@link IceAgents.tick}. */
export interface IceAgentEvents<Socket extends LocalSocket> {
  onState(state: IceState): void
  /**
   * Data goes this way from now on; at first, and again whenever the other side moves.
   * @param path null where nothing may be sent any more (RFC 7675, section 5.1)
   */
  onSelected(path: IcePath<Socket> | null): void
  /**
   * Datagrams other than STUN that arrive this way are for this agent from now on. At most one agent holds a path: one whose
   * check was answered there takes it over from one that only claimed it, since the source of a check can be forged.
   */
  onPathOpened(path: IcePath<Socket>): void
  /** They are no longer for this agent. Each path that was opened is closed once, at the latest with the agent. */
  onPathClosed(path: IcePath<Socket>): void
}
