import { type Frame, SoftwareScaleContext } from 'node-av'
import { check, setOptions } from './ffmpeg.ts'
import type { Picture } from './picture.ts'

/** What a {@link Scaler} reads: a decoded or a drawn picture, or one of ours. */
export interface ScalerSource {
  readonly width: number
  readonly height: number
  readonly frame: Frame
}

/**
 * Scales and converts into pictures of ours by area averaging. Follows any change of size, pixel format, range and matrix
 * of its source by itself, so keep one per source and target: a change costs as much as several pictures.
 */
export class Scaler {
  #context: SoftwareScaleContext | null

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

  /** Idempotent. */
  free(): void {
    this.#context?.freeContext()
    this.#context = null
  }
}
