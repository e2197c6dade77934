import type { OutgoingEvent } from './json-rpc.ts'

/** How many events are kept for a client that does not acknowledge them. */
export interface EventLimits {
  events: number
  bytes: number
}

/**
 * Events that one client has not acknowledged, in the order in which they were sent. They are sent again when the
 * client comes back with another socket: a network that fails without a word swallows whatever was sent into it.
 */
export class UnacknowledgedEvents {
  readonly #limits: EventLimits
  /** In the order of sending. The frames are shared with the other receivers. */
  readonly #events = new Map<string, Buffer>()
  #bytes = 0
  #lostSome = false

  constructor(limits: EventLimits) {
    this.#limits = limits
  }

  /** Whether events were dropped because too many were waiting. The oldest are dropped first. */
  get lostSome(): boolean {
    return this.#lostSome
  }

  /** @returns how many events wait for their acknowledgement */
  get size(): number {
    return this.#events.size
  }

  add({ id, frame }: OutgoingEvent): void {
    this.#events.set(id, frame)
    this.#bytes += frame.length
    while (this.#events.size > this.#limits.events || this.#bytes > this.#limits.bytes) this.#dropOldest()
  }

  /** The client has the event. @returns false for an id that is not waited for */
  acknowledge(id: string): boolean {
    const frame = this.#events.get(id)
    if (!frame) return false
    this.#events.delete(id)
    this.#bytes -= frame.length
    return true
  }

  /**
   * The frames that the client may have missed, oldest first. They stay until they are acknowledged.
   * @returns whether older ones are missing, which is forgotten by this call
   */
  resend(send: (frame: Buffer) => void): { lostSome: boolean } {
    const lostSome = this.#lostSome
    this.#lostSome = false
    for (const frame of this.#events.values()) send(frame)
    return { lostSome }
  }

  clear(): void {
    this.#events.clear()
    this.#bytes = 0
    this.#lostSome = false
  }

  /** Drops all events. They count as lost. */
  drop(): void {
    this.clear()
    this.#lostSome = true
  }

  #dropOldest(): void {
    for (const [id, frame] of this.#events) {
      this.#events.delete(id)
      this.#bytes -= frame.length
      this.#lostSome = true
      return
    }
  }
}
