import { Memory } from '../memory.ts'
import type { SocketAddress } from './socket-address.ts'

/** At 50 Mbit/s, a sixth of a second. */
const QUEUE_BYTES = 1024 * 1024
const MOST_ENTRIES = 1024

/** What waits for the socket: one datagram, or several of one size. */
export interface QueuedSend {
  at: number
  length: number
  segmentBytes: number
  to: SocketAddress
}

/** Datagrams that the system does not take yet, oldest first, in a ring of fixed size. */
export class SendQueue {
  /** Created when it is needed first: a network that is fast enough never needs it. */
  #memory: Memory | null = null
  readonly #entries: QueuedSend[] = []
  #writeAt = 0

  get memory(): Memory {
    this.#memory ??= new Memory(QUEUE_BYTES)
    return this.#memory
  }

  get oldest(): QueuedSend | undefined {
    return this.#entries[0]
  }

  /** Copies bytes to the end. @returns false where there is no room */
  add(from: Memory, at: number, length: number, segmentBytes: number, to: SocketAddress): boolean {
    const place = this.#place(length)
    if (place < 0 || this.#entries.length >= MOST_ENTRIES) return false
    from.bytes.copy(this.memory.bytes, place, at, at + length)
    this.#entries.push({ at: place, length, segmentBytes, to })
    this.#writeAt = place + length
    return true
  }

  /** Forgets the oldest. */
  shift(): void {
    this.#entries.shift()
  }

  clear(): void {
    this.#entries.length = 0
  }

  /** @returns where so many bytes in a row are free, or -1 */
  #place(length: number): number {
    const oldest = this.oldest
    if (!oldest) return length <= QUEUE_BYTES ? 0 : -1
    const at = this.#writeAt
    // Equal means full here, as the ring is not empty.
    if (at <= oldest.at) return length <= oldest.at - at ? at : -1
    if (length <= QUEUE_BYTES - at) return at
    return length <= oldest.at ? 0 : -1
  }
}
