import { Picture, RgbaPicture } from '../codecs/picture.ts'
import type { Scaler } from '../codecs/scaler.ts'
import type { CardPart } from './name-card.ts'

/** A drawn part in the pixel format of the canvas. The caller frees it. */
export function pictureOf({ width, height, pixels }: CardPart, scaler: Scaler): Picture {
  const drawn = new RgbaPicture(width, height, pixels)
  const converted = new Picture(width, height)
  try {
    scaler.scale(drawn, converted)
  } finally {
    drawn.free()
  }
  return converted
}
