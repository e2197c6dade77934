import { AV_PIX_FMT_YUV420P, SWS_AREA } from 'node-av/constants'
import { type Frame, SoftwareScaleContext } from 'node-av/lib'
import { check, setOptions } from './ffmpeg.ts'
import type { Picture } from './picture.ts'
import { checkArea, type Planes, planesFrom, type Rectangle } from './planes.ts'

/** What a {@link Scaler} reads: a decoded or a drawn picture, or one of ours. */
export interface ScalerSource {
  readonly width: number
  readonly height: number
  readonly frame: Frame
}

/**
 * Scales and converts into pictures of ours by area averaging. Follows any change of size, pixel format, range and matrix
 * of its source by itself, so keep one per source and target: a change costs as much as several pictures.
 *
 * The target is always a whole picture. FFmpeg writes whole vectors, up to 15 bytes beyond the end of a row, which in the
 * middle of a canvas is the neighbour's; and rows that do not begin at a multiple of 32 bytes take a third longer. Both
 * cost more than copying the result into the canvas does.
 */
export class Scaler {
  #context: SoftwareScaleContext | null
  #cropping: { context: SoftwareScaleContext; sizes: string } | null = null

  constructor() {
    this.#context = new SoftwareScaleContext()
    this.#context.allocContext()
    setOptions(this.#context, { sws_flags: 'area', threads: '1' })
  }

  /** Fills the whole of `target`. @throws CodecError for a pixel format that cannot be converted */
  scale(source: ScalerSource, target: Picture): void {
    if (!this.#context) throw new Error('scaler used after it was freed')
    // FFmpeg dereferences what it could not set up for an empty picture.
    if (source.width < 1 || source.height < 1) throw new RangeError('no pixels to scale')
    check('scale', this.#context.scaleFrameSync(target.frame, source.frame))
  }

  /** Fills the whole of `target` with a part of the source, all of whose numbers are even. @throws RangeError */
  scalePart(source: Planes, part: Rectangle, target: Picture): void {
    if (!this.#context) throw new Error('scaler used after it was freed')
    checkArea(part, source)
    const { data, strides } = target.planes
    const from = planesFrom(source, part.x, part.y)
    const context = this.#croppingFor(part, target)
    check('scale', context.scaleSync(from, [...source.strides], 0, part.height, [...data], [...strides]))
  }

  /** Idempotent. */
  free(): void {
    this.#context?.freeContext()
    this.#context = null
    this.#cropping?.context.freeContext()
    this.#cropping = null
  }

  #croppingFor(part: Rectangle, target: Picture): SoftwareScaleContext {
    const sizes = `${part.width}x${part.height} ${target.width}x${target.height}`
    if (this.#cropping?.sizes === sizes) return this.#cropping.context
    this.#cropping?.context.freeContext()
    const context = new SoftwareScaleContext()
    const format = AV_PIX_FMT_YUV420P
    context.getContext(part.width, part.height, format, target.width, target.height, format, SWS_AREA)
    this.#cropping = { context, sizes }
    return context
  }
}
