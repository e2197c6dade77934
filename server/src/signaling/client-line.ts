import type { Connection } from './connection.ts'
import type { OutgoingEvent } from './json-rpc.ts'
import { type EventLimits, UnacknowledgedEvents } from './unacknowledged-events.ts'

/** Enough for a busy room during the half minute in which its members may come back. */
const USUAL_LIMITS: EventLimits = { events: 600, bytes: 2 * 1024 * 1024 }

/**
 * The line to one client, over all of its sockets. Events that the client did not acknowledge are sent again on its
 * next socket, in their order, so that a network that failed without a word swallows none.
 */
export class ClientLine {
  readonly #events: UnacknowledgedEvents
  #connection: Connection | null = null
  /** False from the time when the client's page was left until the next one has a socket. */
  #isKeeping = true
  /** Whether events were dropped because the page was left. A page that is shown again from a cache has missed them. */
  #hasDropped = false
  /** Events that wait; null unless they have to. */
  #held: OutgoingEvent[] | null = null

  constructor(limits = USUAL_LIMITS) {
    this.#events = new UnacknowledgedEvents(limits)
  }

  /** The client's socket. Null while it has none. */
  get connection(): Connection | null {
    return this.#connection
  }

  /** Uses this socket from now on. @returns the previous socket, still open */
  attach(connection: Connection): Connection | null {
    const before = this.#connection
    this.#connection = connection
    this.#isKeeping = true
    return before
  }

  /** Forgets a socket that is gone. @returns whether it was the one in use */
  detach(connection: Connection): boolean {
    if (this.#connection !== connection) return false
    this.#connection = null
    if (connection.pageLeft) {
      // The next socket is one of a new page, which asks for the state as a whole and must not get the calls of this one.
      this.#isKeeping = false
      this.#hasDropped = this.#events.size > 0
      this.#events.clear()
    }
    return true
  }

  /** Events wait until {@link release}: the client gets earlier ones first. */
  hold(): void {
    this.#held ??= []
  }

  /** Sends earlier events, and then those that waited. */
  release(earlier: readonly OutgoingEvent[]): void {
    const held = this.#held ?? []
    this.#held = null
    for (const event of [...earlier, ...held]) this.send(event)
  }

  /** Sends an event, or keeps it until the client has a socket again. */
  send(event: OutgoingEvent): void {
    if (this.#held) {
      this.#held.push(event)
      return
    }
    if (this.#isKeeping) this.#events.add(event)
    else this.#hasDropped = true
    this.#connection?.send(event.frame)
  }

  /** Sends an event that has no meaning for a later socket. */
  sendOnce(event: OutgoingEvent): void {
    this.#connection?.send(event.frame)
  }

  /** The client answered to a request of the server. @returns whether that acknowledged an event */
  acknowledged(id: string): boolean {
    return this.#events.acknowledge(id)
  }

  /**
   * Sends what the client may have missed.
   * @param send by default sends to the client's socket
   * @returns whether older events are lost
   */
  resend(send = (frame: Buffer): void => this.#connection?.send(frame)): { lostSome: boolean } {
    const { lostSome } = this.#events.resend(send)
    const hasDropped = this.#hasDropped
    this.#hasDropped = false
    return { lostSome: lostSome || hasDropped }
  }

  /** Keeps no more events for a client that has been away for long. What it missed counts as lost. */
  stopKeeping(): void {
    this.#isKeeping = false
    this.#events.drop()
  }

  /** The client does not come back. */
  end(): void {
    this.#events.clear()
  }
}
