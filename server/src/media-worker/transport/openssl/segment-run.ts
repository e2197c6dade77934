import type { Destination } from './destination.ts'
import { Memory } from './memory.ts'

/** Packets that go to one receiver in one call. More would gain little, and would make a burst of a keyframe. */
const MOST_SEGMENTS = 12
const LONGEST_SEGMENT = 1500

/**
 * Packets of one size to one receiver, the last of which may be shorter: they go to the system in one call. There is one for
 * all connections of a port, and what it holds goes out as soon as anything else is to.
 */
export class SegmentRun {
  readonly memory = new Memory(MOST_SEGMENTS * LONGEST_SEGMENT)
  #to: Destination | null = null
  #bytes = 0
  #segmentBytes = 0
  #isEnded = false

  /**
   * Makes room for a packet.
   * @param length when it is sealed, at most 1500
   * @returns where in {@link memory} it is to be written and sealed, before anything else is done with the run
   */
  place(to: Destination, length: number): number {
    const belongs =
      to === this.#to &&
      !this.#isEnded &&
      length <= this.#segmentBytes &&
      this.#bytes + this.#segmentBytes <= this.memory.length
    if (!belongs) this.flush()
    return this.#bytes
  }

  /** The packet that {@link place} made room for is there. */
  add(to: Destination, length: number): void {
    if (this.#bytes === 0) {
      this.#to = to
      this.#segmentBytes = length
    }
    this.#bytes += length
    this.#isEnded = length < this.#segmentBytes
  }

  /** Sends what there is. */
  flush(): void {
    const to = this.#to
    const bytes = this.#bytes
    if (!to || bytes === 0) return
    this.#to = null
    this.#bytes = 0
    this.#isEnded = false
    to.send(this.memory, 0, bytes, bytes > this.#segmentBytes ? this.#segmentBytes : 0)
  }
}
