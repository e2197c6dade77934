import { randomBytes } from 'node:crypto'
import {
  BINDING_ERROR,
  BINDING_REQUEST,
  BINDING_SUCCESS,
  hasFingerprint,
  readStun,
  type StunMessage,
} from '../stun.ts'
import { IceAgent, type IceAgentOptions, type IceHost, idOf } from './ice-agent.ts'
import type { RandomBytes } from './ice-session.ts'
import type { IcePath, LocalSocket } from './ice-types.ts'
import { PathHolders } from './path-holders.ts'
import { type TransportAddress, usualForm } from './transport-address.ts'

/** A check of ICE has some 100 bytes. Longer datagrams are no STUN that a browser sends. */
const MOST_STUN_BYTES = 1500

/**
 * All ICE agents of one worker. They have no sockets and no timers; the owner has, and joins them so:
 *
 * ```ts
 * const agents = new IceAgents<Socket>((datagram, { socket, remote }) => socket.send(datagram, remote))
 * const agent = agents.open({ sockets, remote: offer, events }, performance.now())
 * answer(agent.local)                                          // fragment, password, candidates
 * onDatagram: if (isStun(datagram)) agents.onStun(datagram, socket, from, performance.now())
 *             else tableOfPaths.get(socket, from)?.onDtlsOrSrtp(datagram)
 * every 10 to 50 ms while something is due soon: agents.tick(performance.now())
 * new fragment in an offer: answer(agent.restart(offer, performance.now()))
 * ```
 *
 * - `onPathOpened` and `onPathClosed` of the events keep the owner's table of paths, which says whose a datagram is that is
 *   not STUN. It is never asked for here, so it can be as fast as the owner likes.
 * - `onSelected` says where to send. DTLS can begin with the first call. A later call, or an ICE restart, changes nothing for
 *   DTLS and SRTP but the address.
 * - All times are milliseconds of one clock that never goes back.
 * - An event may close the agent that it comes from. It must not call anything else of the agents from within.
 * - A datagram handed in is not kept. One handed out may be handed out again, and is not to be changed.
 *
 * The agents are full ones (RFC 8445) without gathering: candidates are those of the sockets. They find peers behind names and
 * NATs by the checks that these send (peer-reflexive candidates), and they answer, remember and believe only what is signed
 * with the password of a session, comes from the address asked, and stays within fixed limits.
 */
export class IceAgents<Socket extends LocalSocket> {
  readonly #host: IceHost<Socket>
  readonly #agents = new Set<IceAgent<Socket>>()
  readonly #byFragment = new Map<string, IceAgent<Socket>>()
  readonly #byTransaction = new Map<string, IceAgent<Socket>>()

  /**
   * @param send sends a datagram. It may drop it, and must not throw.
   * @param random cryptographically strong outside tests
   */
  constructor(send: (datagram: Buffer, path: IcePath<Socket>) => void, random: RandomBytes = randomBytes) {
    const holders = new PathHolders<Socket>()
    this.#host = {
      send,
      random,
      addFragment: (fragment, agent) => this.#byFragment.set(fragment, agent),
      removeFragment: (fragment) => this.#byFragment.delete(fragment),
      addTransaction: (id, agent) => this.#byTransaction.set(id, agent),
      removeTransaction: (id) => this.#byTransaction.delete(id),
      claim: (path, events, isProved) => holders.claim(path, events, isProved),
      release: (path, events) => holders.release(path, events),
      onClosed: (agent) => this.#agents.delete(agent),
    }
  }

  /** Opens an agent, which checks at the next {@link tick} what the other side's SDP names. Ends with its `close()`. */
  open(options: IceAgentOptions<Socket>, nowMs: number): IceAgent<Socket> {
    const agent = new IceAgent(this.#host, options, nowMs)
    this.#agents.add(agent)
    return agent
  }

  /**
   * Takes a datagram that is STUN (RFC 7983), whoever sent it.
   * @param from as the socket told it
   */
  onStun(datagram: Buffer, socket: Socket, from: TransportAddress, nowMs: number): void {
    const message = datagram.length <= MOST_STUN_BYTES ? readStun(datagram) : null
    const agent = message && this.#agentOf(message)
    if (!agent || !hasFingerprint(datagram)) return
    const address = usualForm(from.address)
    // Port 0 can be forged, but nothing can be sent there.
    if (address === null || from.port === 0) return
    const path = { socket, remote: { address, port: from.port } }
    if (message.type === BINDING_REQUEST) agent.onRequest(datagram, message, path, nowMs)
    else agent.onResponse(datagram, message, path, nowMs)
  }

  /** Requests name the fragment of the agent that they are for, and responses a transaction of it. */
  #agentOf({ type, username, transactionId }: StunMessage): IceAgent<Socket> | undefined {
    if (type === BINDING_REQUEST) return this.#byFragment.get(username.slice(0, username.indexOf(':')))
    const isResponse = type === BINDING_SUCCESS || type === BINDING_ERROR
    return isResponse ? this.#byTransaction.get(idOf(transactionId)) : undefined
  }

  /**
   * Lets all agents do what is due. Costs nearly nothing where nothing is.
   * @returns when the next of them is due; infinity where there is none. What comes from outside may make it sooner
   */
  tick(nowMs: number): number {
    let dueAtMs = Number.POSITIVE_INFINITY
    for (const agent of this.#agents) {
      if (agent.dueAtMs <= nowMs) agent.tick(nowMs)
      dueAtMs = Math.min(dueAtMs, agent.dueAtMs)
    }
    return dueAtMs
  }

  /** What is remembered, for tests and figures. */
  get size(): { agents: number; fragments: number; transactions: number } {
    return {
      agents: this.#agents.size,
      fragments: this.#byFragment.size,
      transactions: this.#byTransaction.size,
    }
  }

  /** Closes all agents. */
  close(): void {
    for (const agent of this.#agents) agent.close()
  }
}
