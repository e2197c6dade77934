/** Lets a limited number through at once. The others wait in the order in which they came. */
export class Gate {
  readonly #most: number
  #inside = 0
  readonly #waiting: (() => void)[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** Resolves when there is room. Who entered must leave. */
  async enter(): Promise<void> {
    if (this.#inside === this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#inside++
  }

  leave(): void {
    const next = this.#waiting.shift()
    // Who waits takes the place over.
    if (next) next()
    else this.#inside--
  }
}
