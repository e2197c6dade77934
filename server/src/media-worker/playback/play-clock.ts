/** Position of what is played. It moves in real time while it runs. Times are those of the mixers' ticks. */
export class PlayClock {
  #positionMs: number
  /** When it was at `positionMs`; null while it stands still. */
  #sinceMs: number | null = null

  constructor(positionMs: number) {
    this.#positionMs = positionMs
  }

  get running(): boolean {
    return this.#sinceMs !== null
  }

  at(nowMs: number): number {
    return this.#sinceMs === null ? this.#positionMs : this.#positionMs + Math.max(0, nowMs - this.#sinceMs)
  }

  run(nowMs: number): void {
    this.#sinceMs ??= nowMs
  }

  halt(nowMs: number): void {
    this.#positionMs = this.at(nowMs)
    this.#sinceMs = null
  }

  /** Halts at another position. */
  jump(positionMs: number): void {
    this.#positionMs = positionMs
    this.#sinceMs = null
  }
}
