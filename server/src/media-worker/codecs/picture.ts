import {
  AV_PIX_FMT_RGBA,
  AV_PIX_FMT_YUV420P,
  AVCOL_PRI_BT709,
  AVCOL_RANGE_JPEG,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_RGB,
  AVCOL_SPC_SMPTE170M,
  AVCOL_TRC_BT709,
  type AVPixelFormat,
} from 'node-av/constants'
import { Frame } from 'node-av/lib'
import { Copier } from './copier.ts'
import { check } from './ffmpeg.ts'
import { checkArea, MAX_SIDE, type Planes, planesOf, type Rectangle } from './planes.ts'

/** A colour in the canvas's own terms: BT.601 matrix, limited range. */
export interface YuvColour {
  y: number
  u: number
  v: number
}

function allocateFrame(width: number, height: number, format: AVPixelFormat): Frame {
  if (!Number.isInteger(width) || !Number.isInteger(height) || width < 1 || height < 1)
    throw new RangeError(`no picture of ${width}x${height}`)
  if (width > MAX_SIDE || height > MAX_SIDE)
    throw new RangeError(`a picture of ${width}x${height} is too large`)
  const frame = new Frame()
  frame.alloc()
  frame.format = format
  frame.width = width
  frame.height = height
  check('allocate a picture', frame.getBuffer(0))
  return frame
}

/**
 * A picture of ours in native memory: planar YUV 4:2:0, BT.601 matrix, limited range (what browsers' cameras send, so that
 * the usual picture needs no colour conversion). All access is checked: a wild write here ends the process.
 */
export class Picture {
  readonly width: number
  readonly height: number
  #frame: Frame | null
  /** Fetched once; must not be touched after `free`. */
  #planes: Planes | null
  /** Of those that are copied into. */
  #copier: Copier | null = null

  /** @throws RangeError unless both sides are even, positive and at most 8192 */
  constructor(width: number, height: number) {
    if (width % 2 !== 0 || height % 2 !== 0) throw new RangeError(`odd picture size ${width}x${height}`)
    const frame = allocateFrame(width, height, AV_PIX_FMT_YUV420P)
    frame.colorRange = AVCOL_RANGE_MPEG
    frame.colorSpace = AVCOL_SPC_SMPTE170M
    frame.colorPrimaries = AVCOL_PRI_BT709
    frame.colorTrc = AVCOL_TRC_BT709
    this.width = width
    this.height = height
    this.#frame = frame
    this.#planes = planesOf(frame)
  }

  /** For the codecs beside this file only. @throws after `free` */
  get frame(): Frame {
    if (!this.#frame) throw new Error('picture used after it was freed')
    return this.#frame
  }

  /** Its memory, until `free`. @throws after `free` */
  get planes(): Planes {
    if (!this.#planes) throw new Error('picture used after it was freed')
    return this.#planes
  }

  get sizeInBytes(): number {
    return (this.width * this.height * 3) / 2
  }

  /** Paints an even-aligned rectangle, or the whole picture. */
  fill(colour: YuvColour, area: Rectangle = { x: 0, y: 0, width: this.width, height: this.height }): void {
    checkArea(area, this)
    const values = [colour.y, colour.u, colour.v]
    const { data, strides } = this.planes
    for (let plane = 0; plane < 3; plane++) {
      const shift = plane === 0 ? 0 : 1
      const stride = strides[plane]!
      const left = area.x >> shift
      const right = (area.x + area.width) >> shift
      const bottom = (area.y + area.height) >> shift
      for (let row = area.y >> shift; row < bottom; row++)
        data[plane]!.fill(values[plane]!, row * stride + left, row * stride + right)
    }
  }

  /**
   * Copies the part `from` of another picture to (`x`, `y`) of this one. All numbers even.
   * @returns whether this one looks different now
   * @throws RangeError when either side does not hold the rectangle
   */
  copyFrom(source: Planes, from: Rectangle, x: number, y: number): boolean {
    checkArea(from, source)
    checkArea({ x, y, width: from.width, height: from.height }, this)
    if (looksSame(source, from, this.planes, x, y)) return false
    this.#copier ??= new Copier()
    this.#copier.copy(source, from, this.planes, x, y)
    return true
  }

  /** The colour of one pixel, for tests and previews. */
  colourAt(x: number, y: number): YuvColour {
    checkArea({ x: x & ~1, y: y & ~1, width: 2, height: 2 }, this)
    const { data, strides } = this.planes
    const at = (plane: number, shift: number) => data[plane]![(y >> shift) * strides[plane]! + (x >> shift)]!
    return { y: at(0, 0), u: at(1, 1), v: at(2, 1) }
  }

  /** Gives the memory back. Idempotent; every later access throws. */
  free(): void {
    this.#planes = null
    this.#copier?.free()
    this.#copier = null
    this.#frame?.free()
    this.#frame = null
  }
}

/** Whether `target` has the part `from` of `source` at (`x`, `y`). In what moves, the first row differs already. */
function looksSame(source: Planes, from: Rectangle, target: Planes, x: number, y: number): boolean {
  for (let plane = 0; plane < 3; plane++) {
    const shift = plane === 0 ? 0 : 1
    const [sourceData, targetData] = [source.data[plane]!, target.data[plane]!]
    const [sourceStride, targetStride] = [source.strides[plane]!, target.strides[plane]!]
    const width = from.width >> shift
    const rows = from.height >> shift
    let sourceAt = (from.y >> shift) * sourceStride + (from.x >> shift)
    let targetAt = (y >> shift) * targetStride + (x >> shift)
    for (let row = 0; row < rows; row++) {
      if (sourceData.compare(targetData, targetAt, targetAt + width, sourceAt, sourceAt + width) !== 0)
        return false
      sourceAt += sourceStride
      targetAt += targetStride
    }
  }
  return true
}

/** A drawing on its way to a {@link Picture}: RGBA, 8 bits each, rows without padding. */
export class RgbaPicture {
  readonly width: number
  readonly height: number
  #frame: Frame | null

  /** @throws RangeError when `pixels` is not exactly `width` x `height` x 4 bytes */
  constructor(width: number, height: number, pixels: Uint8Array) {
    if (pixels.length !== width * height * 4) throw new RangeError('RGBA pixels do not fit the size')
    const frame = allocateFrame(width, height, AV_PIX_FMT_RGBA)
    frame.colorRange = AVCOL_RANGE_JPEG
    frame.colorSpace = AVCOL_SPC_RGB
    const plane = frame.data?.[0]
    if (!plane) throw new Error('FFmpeg gave a picture without memory')
    const stride = frame.linesize[0]!
    for (let row = 0; row < height; row++)
      plane.set(pixels.subarray(row * width * 4, (row + 1) * width * 4), row * stride)
    this.width = width
    this.height = height
    this.#frame = frame
  }

  /** For the codecs beside this file only. @throws after `free` */
  get frame(): Frame {
    if (!this.#frame) throw new Error('picture used after it was freed')
    return this.#frame
  }

  /** Gives the memory back. Idempotent. */
  free(): void {
    this.#frame?.free()
    this.#frame = null
  }
}
