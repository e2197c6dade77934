import type { Picture } from '../codecs/picture.ts'
import type { Rectangle } from '../codecs/planes.ts'
import { Scaler } from '../codecs/scaler.ts'
import { pictureOf } from './card-picture.ts'
import { drawNameLabel } from './name-label.ts'

/** More than any layout has tiles, so that a layout never evicts its own labels. */
const MOST_LABELS = 256

/** A drawn label and its place on the tile, or null for a tile that gets none. */
type Label = { picture: Picture; x: number; y: number } | null

/** The name labels of a room's tiles, each drawn once for its name and the size of its tile. */
export class NameLabels {
  /** Least recently drawn first. */
  readonly #labels = new Map<string, Label>()
  readonly #scaler = new Scaler()

  /** Whether drawing this label is a mere copy. @param tile its size */
  has(name: string, tile: { width: number; height: number }): boolean {
    return this.#labels.has(keyOf(name, tile))
  }

  /** Puts the label onto a tile whose picture was just drawn. */
  drawOn(canvas: Picture, tile: Rectangle, name: string): void {
    const key = keyOf(name, tile)
    const known = this.#labels.get(key)
    const label = known === undefined ? this.#draw(name, tile) : known
    this.#labels.delete(key)
    this.#labels.set(key, label)
    this.#evict()
    if (!label) return
    const { picture, x, y } = label
    const whole = { x: 0, y: 0, width: picture.width, height: picture.height }
    canvas.copyFrom(picture.planes, whole, tile.x + x, tile.y + y)
  }

  /** Frees all labels. */
  close(): void {
    for (const label of this.#labels.values()) label?.picture.free()
    this.#labels.clear()
    this.#scaler.free()
  }

  #draw(name: string, tile: Rectangle): Label {
    const part = drawNameLabel(name, tile.width, tile.height)
    return part && { picture: pictureOf(part, this.#scaler), x: part.x, y: part.y }
  }

  #evict(): void {
    for (const [key, label] of this.#labels) {
      if (this.#labels.size <= MOST_LABELS) return
      this.#labels.delete(key)
      label?.picture.free()
    }
  }
}

function keyOf(name: string, { width, height }: { width: number; height: number }): string {
  return `${width}x${height} ${name}`
}
