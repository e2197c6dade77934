import type { FileHandle } from 'node:fs/promises'

/** One box at the top level of a file (ISO/IEC 14496-12 section 4.2). */
export interface Mp4Box {
  type: string
  offset: number
  /** Header included. */
  size: number
}

/**
 * The whole boxes from the start of a file. Reading ends at the first one that the file does not hold to its end.
 * @param fileSize in bytes
 */
export async function readBoxes(handle: FileHandle, fileSize: number): Promise<Mp4Box[]> {
  const boxes: Mp4Box[] = []
  const header = Buffer.alloc(16)
  let offset = 0
  while (offset + 8 <= fileSize) {
    const { bytesRead } = await handle.read(header, 0, 16, offset)
    if (bytesRead < 8) break
    const size = boxSize(header, bytesRead, fileSize - offset)
    if (size < 8 || offset + size > fileSize) break
    boxes.push({ type: header.toString('latin1', 4, 8), offset, size })
    offset += size
  }
  return boxes
}

/** 1 means that a 64-bit size follows, 0 that the box reaches to the end of the file. */
function boxSize(header: Buffer, available: number, remaining: number): number {
  const size = header.readUInt32BE(0)
  if (size === 1) return available < 16 ? 0 : Number(header.readBigUInt64BE(8))
  return size === 0 ? remaining : size
}

/**
 * Where the part of a growing recording that can be played ends.
 * @returns `fragmented: false` for a file with an index, which is whole; null when nothing of it can be played
 */
export function playableEnd(boxes: readonly Mp4Box[]): { end: number; fragmented: boolean } | null {
  if (!boxes.some((box) => box.type === 'moov')) return null
  let fragmentEnd = 0
  for (const [index, box] of boxes.entries()) {
    const data = boxes[index + 1]
    if (box.type === 'moof' && data?.type === 'mdat') fragmentEnd = data.offset + data.size
  }
  if (fragmentEnd > 0) return { end: fragmentEnd, fragmented: true }
  const data = boxes.find((box) => box.type === 'mdat')
  const last = boxes.at(-1)
  return data && last ? { end: last.offset + last.size, fragmented: false } : null
}
