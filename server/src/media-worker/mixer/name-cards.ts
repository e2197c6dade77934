import { Picture } from '../codecs/picture.ts'
import { Scaler } from '../codecs/scaler.ts'
import { pictureOf } from './card-picture.ts'
import { drawNameCard } from './name-card.ts'

/** About five cards of a whole 1080p canvas, or hundreds of a full grid. */
const MAX_BYTES = 16 * 1024 * 1024

/** The name cards of a room, each drawn once for its name and size, as pictures ready to be copied into the canvas. */
export class NameCards {
  /** Least recently used first. */
  readonly #cards = new Map<string, Picture>()
  #bytes = 0
  readonly #scaler = new Scaler()

  constructor() {
    // The very first card loads the fonts, which takes longer than a tick may.
    drawNameCard('Aa', 128, 128)
  }

  has(name: string, width: number, height: number): boolean {
    return this.#cards.has(keyOf(name, width, height))
  }

  /** Lent until the next call. @param width even, as is `height` */
  get(name: string, width: number, height: number): Picture {
    const key = keyOf(name, width, height)
    const card = this.#cards.get(key) ?? this.#draw(name, width, height)
    this.#cards.delete(key)
    this.#cards.set(key, card)
    this.#evict(card)
    return card
  }

  /** Frees all cards. */
  close(): void {
    this.#bytes = 0
    for (const card of this.#cards.values()) card.free()
    this.#cards.clear()
    this.#scaler.free()
  }

  #draw(name: string, width: number, height: number): Picture {
    const card = new Picture(width, height)
    for (const [index, part] of drawNameCard(name, width, height).entries()) {
      const converted = pictureOf(part, this.#scaler)
      // A part's corner is plain: the same colour, by the same conversion.
      if (index === 0) card.fill(converted.colourAt(0, 0))
      card.copyFrom(converted.planes, { x: 0, y: 0, width: part.width, height: part.height }, part.x, part.y)
      converted.free()
    }
    this.#bytes += card.sizeInBytes
    return card
  }

  #evict(newest: Picture): void {
    for (const [key, card] of this.#cards) {
      if (this.#bytes <= MAX_BYTES || card === newest) return
      this.#cards.delete(key)
      this.#bytes -= card.sizeInBytes
      card.free()
    }
  }
}

function keyOf(name: string, width: number, height: number): string {
  return `${width}x${height} ${name}`
}
