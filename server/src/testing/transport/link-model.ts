/** The quality of one direction of a link. */
export interface LinkModelQuality {
  /** Share of the packets that are lost, 0 to 1. */
  loss: number
  delayMs: number
  /** The delay varies by up to this much in both directions, uniformly. */
  jitterMs: number
  /** Average number of packets lost in a row (Gilbert's model). 1 by default: each loss is independent. */
  meanBurst?: number
  /** Whether jitter may reorder packets. By default they keep their order, as in a single queue. */
  reorders?: boolean
  /** bit/s of a bottleneck before the delay; without it there is none. */
  rateBps?: number
  /** What waits longer before the bottleneck is dropped. 300 by default. */
  longestQueueMs?: number
}

/** Pseudorandom numbers from 0 to 1 that are the same in each run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One direction of a network, on a manual clock. Losses and delays are the same in each run. */
export class LinkModel<Packet> {
  quality: LinkModelQuality
  /** Packets lost so far. */
  lost = 0
  readonly #random: () => number
  readonly #underway: { dueAtMs: number; packet: Packet }[] = []
  #inBurst = false
  #lastDueAtMs = 0
  /** When the bottleneck has sent all that waits before it. */
  #freeAtMs = 0

  constructor(quality: LinkModelQuality, random: () => number) {
    this.quality = quality
    this.#random = random
  }

  /** @param bytes of the packet, for the bottleneck */
  send(packet: Packet, nowMs: number, bytes = 0): void {
    if (this.#loses() || !this.#passesBottleneck(bytes, nowMs)) {
      this.lost++
      return
    }
    const { delayMs, jitterMs, reorders } = this.quality
    const ownMs = Math.max(nowMs, this.#freeAtMs) + Math.max(0, delayMs + jitterMs * (2 * this.#random() - 1))
    const dueAtMs = reorders ? ownMs : Math.max(ownMs, this.#lastDueAtMs)
    this.#lastDueAtMs = dueAtMs
    let at = this.#underway.length
    while (at > 0 && this.#underway[at - 1]!.dueAtMs > dueAtMs) at--
    this.#underway.splice(at, 0, { dueAtMs, packet })
  }

  /** Hands over what has arrived by now, in order of arrival. */
  deliver(nowMs: number, take: (packet: Packet) => void): void {
    while (this.#underway.length > 0 && this.#underway[0]!.dueAtMs <= nowMs)
      take(this.#underway.shift()!.packet)
  }

  #passesBottleneck(bytes: number, nowMs: number): boolean {
    const { rateBps, longestQueueMs = 300 } = this.quality
    if (rateBps === undefined) return true
    if (this.#freeAtMs - nowMs > longestQueueMs) return false
    this.#freeAtMs = Math.max(nowMs, this.#freeAtMs) + (bytes * 8000) / rateBps
    return true
  }

  #loses(): boolean {
    const { loss, meanBurst = 1 } = this.quality
    if (meanBurst <= 1) return this.#random() < loss
    const begins = loss / (meanBurst * (1 - loss))
    this.#inBurst = this.#random() < (this.#inBurst ? 1 - 1 / meanBurst : begins)
    return this.#inBurst
  }
}
