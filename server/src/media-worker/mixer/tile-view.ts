import { Picture, type Rectangle } from '../codecs/picture.ts'
import { Scaler } from '../codecs/scaler.ts'
import type { DecodedPicture } from '../codecs/video-decoder.ts'
import { type Cover, coverOf } from './tile-geometry.ts'

/** One tile of the canvas: what is drawn there at present, and the means to draw a camera into it. */
export class TileView {
  readonly memberId: string
  /** On the canvas. */
  readonly area: Rectangle
  #above: readonly TileView[] = []
  /** The canvas does not show what it should, whatever the content. */
  dirty = true
  /** What is drawn: a version of the camera, or the name on the card. */
  drawn: number | string | null = null
  #scaler: Scaler | null = null
  #scaled: Picture | null = null
  #cover: Cover | null = null
  #cameraWidth = 0
  #cameraHeight = 0

  constructor(memberId: string, area: Rectangle) {
    this.memberId = memberId
    this.area = area
  }

  /** Tiles that lie over this one, and have to be drawn again after it. */
  get above(): readonly TileView[] {
    return this.#above
  }

  /** The canvas is laid out anew. */
  reset(above: readonly TileView[]): void {
    this.#above = above
    this.dirty = true
    this.drawn = null
  }

  /** Draws a camera's picture, cropped to fill the tile. @throws CodecError for a pixel format nobody can convert */
  drawPicture(canvas: Picture, picture: DecodedPicture): void {
    const { cover, scaled } = this.#fit(picture)
    this.#scaler ??= new Scaler()
    this.#scaler.scale(picture, scaled)
    canvas.copyFrom(scaled, cover.window, this.area.x, this.area.y)
  }

  /** Draws a card of exactly the tile's size. */
  drawCard(canvas: Picture, card: Picture): void {
    const { x, y, width, height } = this.area
    canvas.copyFrom(card, { x: 0, y: 0, width, height }, x, y)
  }

  close(): void {
    this.#scaler?.free()
    this.#scaled?.free()
    this.#scaler = null
    this.#scaled = null
  }

  #fit(picture: DecodedPicture): { cover: Cover; scaled: Picture } {
    const same = picture.width === this.#cameraWidth && picture.height === this.#cameraHeight
    if (same && this.#cover && this.#scaled) return { cover: this.#cover, scaled: this.#scaled }
    const cover = coverOf(picture.width, picture.height, this.area.width, this.area.height)
    if (this.#scaled?.width !== cover.width || this.#scaled.height !== cover.height) {
      this.#scaled?.free()
      this.#scaled = new Picture(cover.width, cover.height)
    }
    this.#cover = cover
    this.#cameraWidth = picture.width
    this.#cameraHeight = picture.height
    return { cover, scaled: this.#scaled }
  }
}
