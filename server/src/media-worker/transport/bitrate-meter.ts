/** Turns a growing count of bytes into a bitrate. */
export class BitrateMeter {
  bitrateBps = 0
  #bytes = 0
  #atMs = 0

  /** Called about once a second. */
  update(bytes: number, nowMs: number): void {
    const elapsedMs = nowMs - this.#atMs
    if (this.#atMs > 0 && elapsedMs > 0)
      this.bitrateBps = Math.round(((bytes - this.#bytes) * 8000) / elapsedMs)
    this.#bytes = bytes
    this.#atMs = nowMs
  }
}
