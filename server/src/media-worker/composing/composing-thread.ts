import { Worker } from 'node:worker_threads'
import type { PictureFigures } from '../../media/channel.ts'
import { Counter, clockOffsetMs, type FromThread, type ThreadData, type ToThread } from './messages.ts'

const ENTRY_POINT = new URL('./thread-main.ts', import.meta.url)
/** Encoded pictures of cameras on their way, of all rooms: some seconds of thirty cameras. */
const MOST_CAMERA_BYTES = 16 * 1024 * 1024
/** JavaScript's own memory; pictures are not in it. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 }

export interface ComposingThreadOptions {
  onMessage: (message: FromThread) => void
  /** It has ended, by itself or by {@link ComposingThread.end}. Called once. @param error what ended it, if anything did */
  onGone: (error: Error | null) => void
}

/** One thread that composes pictures, as the loop of packets sees it. */
export class ComposingThread {
  /** Its rooms, by number. */
  readonly rooms = new Set<number>()
  readonly #worker: Worker
  readonly #counters = new Int32Array(new SharedArrayBuffer(Counter.count * Int32Array.BYTES_PER_ELEMENT))
  #error: Error | null = null
  #isGone = false
  #hasExited = false
  #ended: Promise<void> | null = null
  #lastBeat = 0
  #used: ReturnType<Worker['performance']['eventLoopUtilization']>

  constructor({ onMessage, onGone }: ComposingThreadOptions) {
    const workerData: ThreadData = { counters: this.#counters, clockOffsetMs: clockOffsetMs() }
    this.#worker = new Worker(ENTRY_POINT, { workerData, resourceLimits: LIMITS, name: 'composer' })
    this.#used = this.#worker.performance.eventLoopUtilization()
    this.#worker.on('message', (message: FromThread) => {
      if (message.kind === 'frame') Atomics.sub(this.#counters, Counter.pictureBytes, message.data.byteLength)
      if (!this.#isGone) onMessage(message)
    })
    this.#worker.on('error', (error) => {
      this.#error = error
    })
    this.#worker.on('exit', () => {
      this.#hasExited = true
      if (this.#isGone) return
      this.#isGone = true
      onGone(this.#error)
    })
  }

  /** Whether it takes one more encoded picture of a camera; else it is far behind. */
  get hasRoom(): boolean {
    return Atomics.load(this.#counters, Counter.cameraBytes) < MOST_CAMERA_BYTES
  }

  /** What is posted to a thread that has ended is lost. */
  post(message: ToThread, transfer: ArrayBuffer[] = []): void {
    if (message.kind === 'frame')
      Atomics.add(this.#counters, Counter.cameraBytes, message.frame.data.byteLength)
    this.#worker.postMessage(message, transfer)
  }

  /** Whether its event loop has turned since the last call. */
  takeBeat(): boolean {
    const beat = Atomics.load(this.#counters, Counter.beats)
    const isAlive = beat !== this.#lastBeat
    this.#lastBeat = beat
    return isAlive
  }

  /** Pictures since the last call, of all rooms. */
  takePictures(): PictureFigures {
    const take = (counter: number) => Atomics.exchange(this.#counters, counter, 0)
    return {
      made: take(Counter.ticksMade),
      leftOut: take(Counter.ticksLeftOut),
      encodes: take(Counter.encodes),
      encodeSeconds: take(Counter.encodeUs) / 1e6,
    }
  }

  /** Share of the time since the last call in which it worked, 0 to 1. */
  takeLoad(): number {
    const used = this.#worker.performance.eventLoopUtilization()
    const { utilization } = this.#worker.performance.eventLoopUtilization(used, this.#used)
    this.#used = used
    return utilization
  }

  /** Nothing of it counts any more, whether or not it really ends: one that hangs in native code does not. */
  abandon(): void {
    this.#isGone = true
  }

  /** Asks it to end, and resolves when it has: never, if it hangs. Idempotent. */
  end(): Promise<void> {
    this.#ended ??= new Promise((resolve) => {
      if (this.#hasExited) resolve()
      else this.#worker.once('exit', () => resolve())
      this.post({ kind: 'end' })
    })
    return this.#ended
  }

  /**
   * Ends one that hangs in a loop of its own code. Inside FFmpeg this may end the whole process: Node cannot throw there.
   * Resolves when it has ended.
   */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }
}
