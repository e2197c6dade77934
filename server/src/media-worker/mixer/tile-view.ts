import { Picture, type YuvColour } from '../codecs/picture.ts'
import type { Planes, Rectangle } from '../codecs/planes.ts'
import { Scaler } from '../codecs/scaler.ts'
import type { DecodedPicture } from '../codecs/video-decoder.ts'
import { containOf, coverOf, evenHalf, type Fit } from './tile-geometry.ts'

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
  /** For pictures that have to be cropped before they are scaled. */
  #copier: Scaler | null = null
  #copy: Picture | null = null
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
   * @returns whether the canvas looks different now
   * @throws CodecError for a pixel format that cannot be converted
   */
  drawPicture(canvas: Picture, picture: DecodedPicture, whole: boolean): boolean {
    const fit = this.#fitOf(picture, whole)
    const frames = whole && (this.dirty || !this.#framed)
    const planes =
      fit.part === null ? this.#scaleWhole(picture, fit) : this.#scalePart(picture, fit, fit.part)
    if (frames) canvas.fill(BACKGROUND, this.area)
    this.#framed = true
    const { x, y } = this.area
    return canvas.copyFrom(planes.data, planes.part, x + fit.x, y + fit.y) || frames
  }

  /** Draws a card of exactly the tile's size. @returns whether the canvas looks different now */
  drawCard(canvas: Picture, card: Picture): boolean {
    const { x, y, width, height } = this.area
    this.#framed = false
    return canvas.copyFrom(card.planes, { x: 0, y: 0, width, height }, x, y)
  }

  close(): void {
    this.#scaler?.free()
    this.#scaled?.free()
    this.#copier?.free()
    this.#copy?.free()
    this.#scaler = null
    this.#scaled = null
    this.#copier = null
    this.#copy = null
  }

  #scaleWhole(picture: DecodedPicture, { scaledWidth, scaledHeight, width, height }: Fit): Drawn {
    this.#scaled = resized(this.#scaled, scaledWidth, scaledHeight)
    this.#scaler ??= new Scaler()
    this.#scaler.scale(picture, this.#scaled)
    const middle = { x: evenHalf(scaledWidth - width), y: evenHalf(scaledHeight - height), width, height }
    return { data: this.#scaled.planes, part: middle }
  }

  #scalePart(picture: DecodedPicture, { width, height }: Fit, part: Rectangle): Drawn {
    const planes = this.#copyOf(picture)
    if (part.width === width && part.height === height) return { data: planes, part }
    this.#scaled = resized(this.#scaled, width, height)
    this.#scaler ??= new Scaler()
    this.#scaler.scalePart(planes, part, this.#scaled)
    return { data: this.#scaled.planes, part: { x: 0, y: 0, width, height } }
  }

  /** In memory of ours, of which any part can be scaled. */
  #copyOf(picture: DecodedPicture): Planes {
    this.#copy = resized(this.#copy, evenUp(picture.width), evenUp(picture.height))
    this.#copier ??= new Scaler()
    this.#copier.scale(picture, this.#copy)
    return this.#copy.planes
  }

  #fitOf({ width, height }: DecodedPicture, whole: boolean): Fit {
    const same = width === this.#pictureWidth && height === this.#pictureHeight && whole === this.#whole
    if (same && this.#fit) return this.#fit
    this.#fit = (whole ? containOf : coverOf)(width, height, this.area.width, this.area.height)
    this.#pictureWidth = width
    this.#pictureHeight = height
    this.#whole = whole
    this.#framed = false
    return this.#fit
  }
}

/** What is to be copied into the tile. */
interface Drawn {
  data: Planes
  part: Rectangle
}

/** @returns `picture` if it has that size already; else it is freed, and another one takes its place */
function resized(picture: Picture | null, width: number, height: number): Picture {
  if (picture?.width === width && picture.height === height) return picture
  picture?.free()
  return new Picture(width, height)
}

function evenUp(side: number): number {
  return 2 * Math.ceil(side / 2)
}
