import type { Frame } from 'node-av/lib'

/** No picture of ours is larger than this on a side; keeps every size computed from outside within what FFmpeg takes. */
export const MAX_SIDE = 8192

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

/**
 * The planes of a frame of ours; null where it has no memory. Not for frames of decoders: the garbage collector counts all memory
 * that is made known to JavaScript as its own, and would collect several times a second.
 */
export function planesOf({ width, height, data, linesize: strides }: Frame): Planes | null {
  return data && data.length >= 3 ? { width, height, data, strides } : null
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
