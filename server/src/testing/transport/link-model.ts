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

  constructor(quality: LinkModelQuality, random: () => number) {
    this.quality = quality
    this.#random = random
  }

  send(packet: Packet, nowMs: number): void {
    if (this.#loses()) {
      this.lost++
      return
    }
    const { delayMs, jitterMs, reorders } = this.quality
    const ownMs = nowMs + Math.max(0, delayMs + jitterMs * (2 * this.#random() - 1))
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

  #loses(): boolean {
    const { loss, meanBurst = 1 } = this.quality
    if (meanBurst <= 1) return this.#random() < loss
    const begins = loss / (meanBurst * (1 - loss))
    this.#inBurst = this.#random() < (this.#inBurst ? 1 - 1 / meanBurst : begins)
    return this.#inBurst
  }
}
