import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { MediaRoom } from '../../media/media-plane.ts'
import type { Layout } from '../layouts/layout-types.ts'
import { pictureTiles } from '../layouts/layouts.ts'
import { CONFIRMATION_TIMEOUT_MS, within } from './within.ts'

/** The composed picture of a session as its mixer has it, a little behind the arrangement. */
export class ComposedPicture {
  readonly #media: Pick<MediaRoom, 'setTiles'>
  readonly #clock: Clock
  /** Settles when the mixer has the newest arrangement, or is gone. */
  #newest: Promise<unknown> = Promise.resolve()

  constructor(media: Pick<MediaRoom, 'setTiles'>, clock: Clock) {
    this.#media = media
    this.#clock = clock
  }

  /** Has the mixer compose a new arrangement. @returns settles when it does so, or is gone */
  compose(layout: Layout): Promise<unknown> {
    this.#newest = this.#media.setTiles(pictureTiles(layout.layers))
    return this.#newest
  }

  /**
   * Resolves when the picture follows the newest arrangement: who is off the canvas is not seen any more.
   * @throws Refusal `media_failed` when the mixer does not confirm it
   */
  async confirmed(): Promise<void> {
    try {
      await within(this.#clock, CONFIRMATION_TIMEOUT_MS, this.#newest)
    } catch (cause) {
      throw new Refusal('media_failed', { message: 'The picture could not be changed. Try again.', cause })
    }
  }
}
