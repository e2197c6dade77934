import type {
  AVColorPrimaries,
  AVColorRange,
  AVColorSpace,
  AVColorTransferCharacteristic,
  AVPixelFormat,
} from 'node-av/constants'
import { Frame } from 'node-av/lib'
import { check } from './ffmpeg.ts'
import type { DecodedPicture } from './video-decoder.ts'

/** A decoded picture outside of FFmpeg's memory, so that it can go to another thread. */
export interface FrameCopy {
  /** As the picture is shown, see {@link DecodedPicture}. */
  shownWidth: number
  shownHeight: number
  width: number
  height: number
  format: AVPixelFormat
  colorRange: AVColorRange
  colorSpace: AVColorSpace
  colorPrimaries: AVColorPrimaries
  colorTrc: AVColorTransferCharacteristic
  /** Of each plane: bytes of a row, and of all rows. */
  planes: { stride: number; length: number }[]
  /** The planes one after the other. Longer than they are where it is used again. */
  memory: ArrayBuffer
}

/**
 * Copies a picture.
 * @param memory is used where it is large enough
 * @returns null for a picture without rows in memory
 */
export function copyFrame(picture: DecodedPicture, memory: ArrayBuffer | null): FrameCopy | null {
  const { frame } = picture
  const { data, linesize } = frame
  if (!data || data.length === 0) return null
  const planes = data.map(({ length }, plane) => ({ stride: linesize[plane]!, length }))
  // A picture that is stored upside down.
  if (planes.some(({ stride }) => stride <= 0)) return null
  const size = planes.reduce((sum, { length }) => sum + length, 0)
  const target = memory !== null && memory.byteLength >= size ? memory : new ArrayBuffer(size)
  const bytes = Buffer.from(target)
  let at = 0
  for (const plane of data) at += plane.copy(bytes, at)
  return {
    shownWidth: picture.width,
    shownHeight: picture.height,
    width: frame.width,
    height: frame.height,
    format: frame.format as AVPixelFormat,
    colorRange: frame.colorRange,
    colorSpace: frame.colorSpace,
    colorPrimaries: frame.colorPrimaries,
    colorTrc: frame.colorTrc,
    planes,
    memory: target,
  }
}

/** The picture in FFmpeg's memory again. The caller releases it. @throws CodecError for what cannot be one */
export function restoreFrame(copy: FrameCopy): DecodedPicture {
  const frame = new Frame()
  frame.alloc()
  try {
    frame.format = copy.format
    frame.width = copy.width
    frame.height = copy.height
    check('restore a picture', frame.getBuffer(0))
    frame.colorRange = copy.colorRange
    frame.colorSpace = copy.colorSpace
    frame.colorPrimaries = copy.colorPrimaries
    frame.colorTrc = copy.colorTrc
    fillPlanes(frame, copy)
  } catch (error) {
    frame.free()
    throw error
  }
  return { width: copy.shownWidth, height: copy.shownHeight, frame, release: () => frame.free() }
}

/** Rows may be padded to other lengths here than where they come from. */
function fillPlanes(frame: Frame, { planes, memory }: FrameCopy): void {
  const bytes = Buffer.from(memory)
  const targets = frame.data ?? []
  const strides = frame.linesize
  let from = 0
  for (const [index, { stride, length }] of planes.entries()) {
    const target = targets[index]
    if (!target) return
    const targetStride = strides[index]!
    const width = Math.min(stride, targetStride)
    const end = from + length
    for (let row = 0, to = 0; from + row < end && to < target.length; row += stride, to += targetStride)
      bytes.copy(target, to, from + row, Math.min(end, from + row + width))
    from = end
  }
}
