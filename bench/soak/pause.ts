/** Holds several loops between two rounds while something is looked at. */
export class Pause {
  #loops: number
  #resting = 0
  #allRest: PromiseWithResolvers<void> | null = null
  #over: Promise<void> | null = null

  /** @param loops how many there are */
  constructor(loops: number) {
    this.#loops = loops
  }

  /** Called by each loop before a round. Waits where a pause was asked for. */
  async pass(): Promise<void> {
    if (this.#over === null) return
    this.#resting++
    this.#tell()
    await this.#over
    this.#resting--
  }

  /** Called by a loop that is done. */
  leave(): void {
    this.#loops--
    this.#tell()
  }

  /** Does the work once all loops rest, and lets them go on after it. One at a time. */
  async whileAllRest<T>(work: () => Promise<T>): Promise<T> {
    const over = Promise.withResolvers<void>()
    this.#allRest = Promise.withResolvers<void>()
    this.#over = over.promise
    this.#tell()
    await this.#allRest.promise
    try {
      return await work()
    } finally {
      this.#over = null
      over.resolve()
    }
  }

  #tell(): void {
    if (this.#resting >= this.#loops) this.#allRest?.resolve()
  }
}
