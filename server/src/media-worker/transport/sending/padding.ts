const LONGEST_STEP_MS = 100
/** What may be sent at once after a pause, and how far ahead sending may be of the rate before padding stops. */
const MOST_OWED_BYTES = 3600
const MOST_AHEAD_BYTES = 12_000

/** Tells how much padding a stream needs to be sent at a rate. */
export class Padding {
  /** bit/s of everything together; 0 for no padding. */
  bps = 0
  #owedBytes = 0
  #atMs = 0

  /** Whether a packet of padding is due. */
  isDue(nowMs: number, packetBytes: number): boolean {
    const elapsedMs = Math.min(LONGEST_STEP_MS, Math.max(0, nowMs - this.#atMs))
    this.#atMs = nowMs
    this.#owedBytes = Math.min(MOST_OWED_BYTES, this.#owedBytes + (this.bps * elapsedMs) / 8000)
    return this.bps > 0 && this.#owedBytes >= packetBytes
  }

  /** So much was sent, padding or not. */
  onSent(bytes: number): void {
    this.#owedBytes = Math.max(-MOST_AHEAD_BYTES, this.#owedBytes - bytes)
  }
}
