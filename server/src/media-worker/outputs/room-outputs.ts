import type { Logger } from 'pino'
import type { EncodedVideoFrame } from '../media-types.ts'

/** A recording or a stream of a room. */
export interface RoomOutput<Result> {
  /** Takes one picture of the H264 encode. */
  writeVideo(frame: EncodedVideoFrame): void
  /** Takes one tick of the full mix. */
  writeMix(pcm: Float32Array, capturedAtMs: number): void
  stop(): Promise<Result>
}

/** What all outputs of a room are made with. */
export interface RoomOutputOptions {
  width: number
  height: number
  fps: number
  log: Logger
  /** Ask the room's H264 encoder for a keyframe. */
  requestKeyframe: () => void
  /** An output was added or is gone. */
  onCountChanged: () => void
}

/** The recordings or the streams of a room by id. Those that are being started get no media, but can be stopped. */
export class RoomOutputs<Output extends RoomOutput<Result>, Result> {
  readonly #onCountChanged: () => void
  readonly #running = new Map<string, Output>()
  readonly #starting = new Map<string, Promise<Output>>()

  constructor(onCountChanged: () => void) {
    this.#onCountChanged = onCountChanged
  }

  /** Number of outputs that take media. */
  get size(): number {
    return this.#running.size
  }

  get(id: string): Output | undefined {
    return this.#running.get(id)
  }

  /**
   * Adds what `start` resolves with.
   * @throws Error if the id is taken, or what `start` throws
   */
  async add(id: string, start: () => Promise<Output>): Promise<Output> {
    if (this.#running.has(id) || this.#starting.has(id)) throw new Error(`${id} exists already`)
    const starting = this.#start(id, start)
    this.#starting.set(id, starting)
    try {
      return await starting
    } finally {
      this.#starting.delete(id)
    }
  }

  /** Takes out an output that has ended by itself, or is about to be stopped. */
  remove(id: string): void {
    this.#running.delete(id)
    this.#onCountChanged()
  }

  /**
   * Takes out an output, so that the caller can stop it. Waits if it is still being started.
   * @returns undefined if there is none, or if it did not start
   */
  async take(id: string): Promise<Output | undefined> {
    await this.#starting.get(id)?.catch(() => {})
    const output = this.#running.get(id)
    if (output) this.remove(id)
    return output
  }

  writeVideo(frame: EncodedVideoFrame): void {
    for (const output of this.#running.values()) output.writeVideo(frame)
  }

  writeMix(pcm: Float32Array, capturedAtMs: number): void {
    for (const output of this.#running.values()) output.writeMix(pcm, capturedAtMs)
  }

  /**
   * Stops all outputs, also those that are being started. Never rejects.
   * @returns the results of those that stopped without an error
   */
  async close(): Promise<Result[]> {
    const results: Result[] = []
    const stop = async (id: string) => {
      const output = await this.take(id)
      if (output) results.push(await output.stop())
    }
    await Promise.allSettled([...this.#running.keys(), ...this.#starting.keys()].map(stop))
    return results
  }

  async #start(id: string, start: () => Promise<Output>): Promise<Output> {
    const output = await start()
    this.#running.set(id, output)
    this.#onCountChanged()
    return output
  }
}
