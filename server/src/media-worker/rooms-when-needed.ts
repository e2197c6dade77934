import type { PacketFigures, PictureFigures } from '../media/channel.ts'
import type { WorkerRequest } from '../media/messages.ts'
import type { OverloadStep } from '../resources/overload-steps.ts'
import { noPackets } from './packet-totals.ts'
import type { Rooms, RoomsOptions } from './rooms.ts'
import { useSmallPages } from './small-pages.ts'

/**
 * The rooms of this process, whose code (FFmpeg, codecs, mixers) takes some 25 MiB and is loaded with the first request.
 * The server asks for `prepare` as soon as somebody may join, so that no join waits for it.
 */
export class RoomsWhenNeeded {
  readonly #options: RoomsOptions
  #loading: Promise<Rooms> | null = null
  #rooms: Rooms | null = null
  #step: OverloadStep = 'none'

  constructor(options: RoomsOptions) {
    this.#options = options
  }

  /** Does what a request asks. @throws as `Rooms.answer`; Error when the code cannot be loaded, which is tried again */
  async answer(request: WorkerRequest): Promise<unknown> {
    const rooms = this.#rooms ?? (await this.#load())
    return rooms.answer(request)
  }

  /** From now on all rooms spend no more than this step lets them. */
  giveUp(step: OverloadStep): void {
    this.#step = step
    this.#rooms?.giveUp(step)
  }

  /** See `Rooms.takePictures`. */
  takePictures(): PictureFigures {
    return this.#rooms?.takePictures() ?? { made: 0, leftOut: 0, encodes: 0, encodeSeconds: 0 }
  }

  /** See `Rooms.packets`. */
  get packets(): PacketFigures {
    return this.#rooms?.packets ?? noPackets()
  }

  /** See `Rooms.size`. */
  get size(): { rooms: number; legs: number } {
    return this.#rooms?.size ?? { rooms: 0, legs: 0 }
  }

  /** Ends every room, recordings first. Requests that come later find none. */
  async close(): Promise<void> {
    const rooms = await this.#loading?.catch(() => null)
    await rooms?.close()
  }

  #load(): Promise<Rooms> {
    this.#loading ??= this.#loadNow().catch((error: unknown) => {
      this.#loading = null
      throw error
    })
    return this.#loading
  }

  async #loadNow(): Promise<Rooms> {
    await useSmallPages()
    const { Rooms } = await import('./rooms.ts')
    this.#rooms = new Rooms(this.#options)
    this.#rooms.giveUp(this.#step)
    return this.#rooms
  }
}
