import type { VideoEncoding } from './media-types.ts'

/** The bitrates of a room's encodes, where several workers serve those who get them: the lowest that one of them asks for. */
export class LowestBitrates {
  readonly #limits = new Map<VideoEncoding, Map<string, number>>()
  readonly #onChanged: (encoding: VideoEncoding, bitrateBps: number) => void

  /** @param onChanged the encode should have this bitrate from now on */
  constructor(onChanged: (encoding: VideoEncoding, bitrateBps: number) => void) {
    this.#onChanged = onChanged
  }

  /** @param bitrateBps at most this much; null for no limit any more */
  limit(from: string, encoding: VideoEncoding, bitrateBps: number | null): void {
    const limits = this.#limits.get(encoding) ?? new Map<string, number>()
    this.#limits.set(encoding, limits)
    const before = Math.min(...limits.values())
    if (bitrateBps === null) limits.delete(from)
    else limits.set(from, bitrateBps)
    const lowest = Math.min(...limits.values())
    if (lowest !== before && Number.isFinite(lowest)) this.#onChanged(encoding, lowest)
  }
}
