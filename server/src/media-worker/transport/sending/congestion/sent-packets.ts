/** Packets remembered: a power of two, and more than a browser's report is ever late for. */
const CAPACITY = 1024
const UNDERWAY = 0
const MISSED = 1
const ARRIVED = 2

/** What was sent over one transport lately, by transport-wide numbers. They count without bound here, and modulo 2^16 on the wire. */
export class SentPackets {
  /** Created with the first packet: most transports of a test or of a silent leg send none. */
  #sentAtMs = new Float64Array(0)
  #bytes = new Uint16Array(0)
  #fate = new Uint8Array(0)
  #next = 0

  /** What the next packet has to carry, to be taken modulo 2^16. */
  get next(): number {
    return this.#next
  }

  /** The packet that carries {@link next} went out. */
  onSent(bytes: number, nowMs: number): void {
    if (this.#next === 0) {
      this.#sentAtMs = new Float64Array(CAPACITY)
      this.#bytes = new Uint16Array(CAPACITY)
      this.#fate = new Uint8Array(CAPACITY)
    }
    const place = this.#next++ & (CAPACITY - 1)
    this.#sentAtMs[place] = nowMs
    this.#bytes[place] = bytes
    this.#fate[place] = UNDERWAY
  }

  /** @param onWire number modulo 2^16. @returns the number in full, or -1 where the packet is not known (any more) */
  find(onWire: number): number {
    const behind = (this.#next - onWire) & 0xffff
    const number = this.#next - behind
    return behind > 0 && behind <= CAPACITY && number >= 0 ? number : -1
  }

  sentAtMs(number: number): number {
    return this.#sentAtMs[number & (CAPACITY - 1)]!
  }

  bytes(number: number): number {
    return this.#bytes[number & (CAPACITY - 1)]!
  }

  /** The browser has not got it. @returns whether that is news */
  markMissed(number: number): boolean {
    const place = number & (CAPACITY - 1)
    if (this.#fate[place] !== UNDERWAY) return false
    this.#fate[place] = MISSED
    return true
  }

  /** The browser has got it. @returns what was known before */
  markArrived(number: number): 'news' | 'was missed' | 'known' {
    const place = number & (CAPACITY - 1)
    const before = this.#fate[place]
    this.#fate[place] = ARRIVED
    return before === ARRIVED ? 'known' : before === MISSED ? 'was missed' : 'news'
  }
}
