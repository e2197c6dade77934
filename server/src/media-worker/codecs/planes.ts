import {
  AV_PIX_FMT_YUV420P,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_SMPTE170M,
  AVCOL_SPC_UNSPECIFIED,
} from 'node-av/constants'
import type { Frame } from 'node-av/lib'

/** A rectangle in pixels. */
export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

/** Memory of a picture: planar YUV 4:2:0 with rows of `strides` bytes. To be read while the picture is held. */
export interface Planes {
  readonly width: number
  readonly height: number
  readonly data: readonly Buffer[]
  readonly strides: readonly number[]
}

/** What pictures of ours have, see {@link Picture}, and what counts as that where a camera does not say. */
const MATRICES: ReadonlySet<number> = new Set([AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M])

/** The planes of a decoded frame; null where its pixels have another format or other colours than ours. */
export function planesOf(frame: Frame): Planes | null {
  const { width, height, format, colorRange, colorSpace } = frame
  if (format !== AV_PIX_FMT_YUV420P || colorRange === AVCOL_RANGE_JPEG || !MATRICES.has(colorSpace))
    return null
  const { data, linesize: strides } = frame
  if (!data || data.length < 3) return null
  for (let plane = 0; plane < 3; plane++) {
    const [columns, rows] = plane === 0 ? [width, height] : [(width + 1) >> 1, (height + 1) >> 1]
    const stride = strides[plane]!
    // Also refuses a picture that is stored upside down.
    if (stride < columns || data[plane]!.length < stride * (rows - 1) + columns) return null
  }
  return { width, height, data, strides }
}

/** @throws RangeError unless all numbers of `area` are even and it lies within a picture of that size */
export function checkArea({ x, y, width, height }: Rectangle, size: { width: number; height: number }): void {
  const even = ((x | y | width | height) & 1) === 0
  const whole = Number.isInteger(x + y + width + height)
  const inside = x >= 0 && y >= 0 && width > 0 && height > 0
  if (!even || !whole || !inside || x + width > size.width || y + height > size.height)
    throw new RangeError(`${width}x${height} at ${x},${y} of a picture of ${size.width}x${size.height}`)
}

/** The planes from (`x`, `y`) on, both even, to their ends. */
export function planesFrom({ data, strides }: Planes, x: number, y: number): Buffer[] {
  return [0, 1, 2].map((plane) => {
    const shift = plane === 0 ? 0 : 1
    return data[plane]!.subarray((y >> shift) * strides[plane]! + (x >> shift))
  })
}
