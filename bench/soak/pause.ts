/** Stops several loops between two rounds while a measurement runs. */
export class Pause {
  #loops: number
  #resting = 0
  #allRest: PromiseWithResolvers<void> | null = null
  #over: Promise<void> | null = null

  /** @param loops number of loops */
  constructor(loops: number) {
    this.#loops = loops
  }

  /** Called by each loop before a round. Waits if a pause was requested. */
  async pass(): Promise<void> {
    if (this.#over === null) return
    this.#resting++
    this.#tell()
    await this.#over
    this.#resting--
  }

  /** Called by a loop that has ended. */
  leave(): void {
    this.#loops--
    this.#tell()
  }

  /** Does the work once all loops rest, and then lets them continue. Only one call at a time. */
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
