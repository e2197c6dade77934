/** A ring of samples: filled by packets of any length, emptied in ticks. */
export class PcmQueue {
  readonly #ring: Float32Array
  #read = 0
  #length = 0

  constructor(capacity: number) {
    this.#ring = new Float32Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  /** Appends; what does not fit pushes out the oldest. */
  push(samples: Float32Array): void {
    const { length: capacity } = this.#ring
    const source = samples.length > capacity ? samples.subarray(samples.length - capacity) : samples
    this.drop(Math.max(0, this.#length + source.length - capacity))
    const at = (this.#read + this.#length) % capacity
    const first = Math.min(source.length, capacity - at)
    if (first === source.length) {
      this.#ring.set(source, at)
    } else {
      this.#ring.set(source.subarray(0, first), at)
      this.#ring.set(source.subarray(first), 0)
    }
    this.#length += source.length
  }

  /** Fills `target` from the front; zeros where there is not enough. */
  pull(target: Float32Array): void {
    const count = Math.min(target.length, this.#length)
    const { length: capacity } = this.#ring
    for (let index = 0; index < count; index++) target[index] = this.#ring[(this.#read + index) % capacity]!
    target.fill(0, count)
    this.drop(count)
  }

  /** Throws away up to `count` samples from the front. */
  drop(count: number): void {
    const dropped = Math.min(count, this.#length)
    this.#read = (this.#read + dropped) % this.#ring.length
    this.#length -= dropped
  }
}
