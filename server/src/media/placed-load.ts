/**
 * How long, in reports of a worker, what was placed on it still counts as expected. A browser takes some seconds until it
 * gets media, and a room until people are in it.
 */
const REPORTS_UNTIL_MEASURED = 3

/** One kind of load of one worker, in shares of a core: what it measures, and what was placed on it since. */
export class PlacedLoad {
  readonly #measured: number[] = []
  /** What was placed in each of the last intervals between reports, the newest first. */
  readonly #placed: number[] = [0]

  /** The worker has measured itself. */
  report(load: number): void {
    this.#measured.unshift(load)
    this.#measured.length = Math.min(this.#measured.length, REPORTS_UNTIL_MEASURED)
    this.#placed.unshift(0)
    this.#placed.length = Math.min(this.#placed.length, REPORTS_UNTIL_MEASURED)
  }

  /** Something was placed there that will cost about this much. */
  place(load: number): void {
    this.#placed[0] = (this.#placed[0] ?? 0) + load
  }

  /** A new process has taken the place of the old one. */
  clear(): void {
    this.#measured.length = 0
    this.#placed.splice(0, this.#placed.length, 0)
  }

  /** The mean of the latest reports, for one second says little, and what does not show in them yet. */
  get expected(): number {
    const measured = this.#measured.reduce((sum, load) => sum + load, 0) / Math.max(1, this.#measured.length)
    return this.#placed.reduce((sum, load) => sum + load, measured)
  }
}
