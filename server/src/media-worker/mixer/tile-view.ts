import { Picture, type Rectangle, type YuvColour } from '../codecs/picture.ts'
import { Scaler } from '../codecs/scaler.ts'
import type { DecodedPicture } from '../codecs/video-decoder.ts'
import { containOf, coverOf, type Fit } from './tile-geometry.ts'

/** Behind and between the tiles, and beside what does not fill its tile: a calm dark blue-grey, #14171d. */
export const BACKGROUND: YuvColour = { y: 36, u: 130, v: 127 }

/** One tile of the canvas: remembers what is drawn there, and draws pictures and cards into it. */
export class TileView {
  /** The member or the playback whose picture it shows. */
  readonly sourceId: string
  /** On the canvas. */
  readonly area: Rectangle
  #above: readonly TileView[] = []
  #isCovered = false
  /** The canvas does not show what it should, whatever the content. */
  dirty = true
  /** What is drawn: a version of the camera, or the name on the card. */
  drawn: number | string | null = null
  #scaler: Scaler | null = null
  #scaled: Picture | null = null
  #fit: Fit | null = null
  #pictureWidth = 0
  #pictureHeight = 0
  #whole = false
  /** The area around the picture is background already. */
  #framed = false

  constructor(sourceId: string, area: Rectangle) {
    this.sourceId = sourceId
    this.area = area
  }

  /** Tiles that lie over this one, and have to be drawn again after it. */
  get above(): readonly TileView[] {
    return this.#above
  }

  /** Whether a single tile over this one hides all of it, so that it need not be drawn. */
  get isCovered(): boolean {
    return this.#isCovered
  }

  /** The canvas is laid out anew. */
  reset(above: readonly TileView[], isCovered: boolean): void {
    this.#above = above
    this.#isCovered = isCovered
    this.dirty = true
    this.drawn = null
    this.#framed = false
  }

  /**
   * Draws what a camera or a screen shows.
   * @param whole nothing is cropped; else the picture fills the tile
   * @throws CodecError for a pixel format that cannot be converted
   */
  drawPicture(canvas: Picture, picture: DecodedPicture, whole: boolean): void {
    const { fit, scaled } = this.#place(picture, whole)
    this.#scaler ??= new Scaler()
    this.#scaler.scale(picture, scaled)
    if (whole && (this.dirty || !this.#framed)) canvas.fill(BACKGROUND, this.area)
    this.#framed = true
    canvas.copyFrom(scaled, fit.window, this.area.x + fit.x, this.area.y + fit.y)
  }

  /** Draws a card of exactly the tile's size. */
  drawCard(canvas: Picture, card: Picture): void {
    const { x, y, width, height } = this.area
    canvas.copyFrom(card, { x: 0, y: 0, width, height }, x, y)
    this.#framed = false
  }

  close(): void {
    this.#scaler?.free()
    this.#scaled?.free()
    this.#scaler = null
    this.#scaled = null
  }

  #place(picture: DecodedPicture, whole: boolean): { fit: Fit; scaled: Picture } {
    const { width, height } = picture
    const same = width === this.#pictureWidth && height === this.#pictureHeight && whole === this.#whole
    if (same && this.#fit && this.#scaled) return { fit: this.#fit, scaled: this.#scaled }
    const fit = (whole ? containOf : coverOf)(width, height, this.area.width, this.area.height)
    if (this.#scaled?.width !== fit.width || this.#scaled.height !== fit.height) {
      this.#scaled?.free()
      this.#scaled = new Picture(fit.width, fit.height)
    }
    this.#fit = fit
    this.#pictureWidth = width
    this.#pictureHeight = height
    this.#whole = whole
    this.#framed = false
    return { fit, scaled: this.#scaled }
  }
}
