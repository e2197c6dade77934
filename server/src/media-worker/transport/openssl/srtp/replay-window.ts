/** Packets behind the newest one that may still come: a power of two, and as many as can be sent again. */
const SIZE = 1024

/** Tells packets apart that came before, by their index (RFC 3711, section 3.3.2). */
export class ReplayWindow {
  /** The highest index that was accepted, or -1. */
  highest = -1
  /** One bit for each index, at its place modulo {@link SIZE}. */
  readonly #seen = new Uint32Array(SIZE / 32)

  /** Whether the packet has not come before, as far as that can be told: very old ones count as seen. */
  isNew(index: number): boolean {
    if (index > this.highest) return true
    if (index < 0 || this.highest - index >= SIZE) return false
    const bit = index & (SIZE - 1)
    return ((this.#seen[bit >>> 5]! >>> (bit & 31)) & 1) === 0
  }

  /** Remembers a packet, which has been authenticated and {@link isNew}. */
  accept(index: number): void {
    if (index > this.highest) this.#advance(index)
    const bit = index & (SIZE - 1)
    this.#seen[bit >>> 5]! |= 1 << (bit & 31)
  }

  #advance(index: number): void {
    if (index - this.highest >= SIZE) this.#seen.fill(0)
    else
      for (let skipped = this.highest + 1; skipped < index; skipped++) {
        const bit = skipped & (SIZE - 1)
        this.#seen[bit >>> 5]! &= ~(1 << (bit & 31))
      }
    const bit = index & (SIZE - 1)
    this.#seen[bit >>> 5]! &= ~(1 << (bit & 31))
    this.highest = index
  }
}
