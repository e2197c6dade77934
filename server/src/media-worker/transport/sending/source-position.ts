import type { HistorySlot } from './packet-history.ts'
import type { VideoSource } from './video-source.ts'

/** Distance of the timestamps of two pictures, in units of 90 kHz, where they would be the same: 1 ms. */
const LEAST_DISTANCE = 90

/**
 * Which source one browser's stream follows, how far it is, and how the source's numbers become those of the stream. When the
 * source changes, the stream's numbers and timestamps go on.
 */
export class SourcePosition {
  #source: VideoSource | null = null
  /** Takes over with its next keyframe. */
  #coming: VideoSource | null = null
  #comingNext = 0
  /** What the source's packet to be sent next is numbered. */
  #next = 0
  #waitsForKeyframe = true
  /** The stream's sequence number less the source's, modulo 2^16, for the source's packets from the first to the last. */
  #sequenceOffset = 0
  #first = 0
  #last = -1
  #nextSequence = Math.floor(Math.random() * 0x8000)
  #timestampOffset: number
  /** Of the stream. */
  #lastTimestamp: number | null = null
  readonly #ownTimestampOffset: number

  /** @param timestampOffset added to the source's timestamps */
  constructor(timestampOffset: number) {
    this.#timestampOffset = this.#ownTimestampOffset = timestampOffset
  }

  /** What a keyframe is to be asked of. */
  get source(): VideoSource | null {
    return this.#coming ?? this.#source
  }

  get waitsForKeyframe(): boolean {
    return this.#waitsForKeyframe
  }

  /** Follows a source, or none, from its next keyframe on. */
  attach(source: VideoSource | null): void {
    this.#coming = source
    if (!source) this.#source = null
    this.skip()
  }

  /** Follows another source from its next keyframe on, and the one before until then. */
  switchTo(source: VideoSource): void {
    if (!this.#source || this.#waitsForKeyframe) {
      this.attach(source)
      return
    }
    this.#coming = source === this.#source ? null : source
    this.#comingNext = source.end
  }

  /** Leaves out all there is, up to the next keyframe that comes. */
  skip(): void {
    this.#source = this.source
    this.#coming = null
    this.#next = this.#source?.end ?? 0
    this.#waitsForKeyframe = true
  }

  /**
   * Begins with a keyframe that came a moment ago. Not where something was sent before: its pictures would come twice.
   * @returns whether there is such a keyframe
   */
  beginWithRecent(): boolean {
    const recent = this.#source?.recentKeyframe ?? null
    if (recent === null || this.#lastTimestamp !== null) return false
    this.#next = recent
    return true
  }

  /** Whether there may be a packet to send. */
  get hasMore(): boolean {
    if (this.#source && this.#next < this.#source.end) return true
    return this.#coming !== null && this.#comingNext < this.#coming.end
  }

  /** Whether it waits for the keyframe of another source. */
  get isSwitching(): boolean {
    return this.#coming !== null
  }

  /** The packet to be sent next, which stays the same until {@link advance}; null where there is none. */
  peek(): HistorySlot | null {
    if (this.#coming) this.#lookForKeyframe(this.#coming)
    const source = this.#source
    if (!source) return null
    while (this.#next < source.end) {
      const slot = source.find(this.#next)
      // Overwritten before it could be sent.
      if (!slot) {
        this.skip()
        return null
      }
      if (!this.#waitsForKeyframe) return slot
      if (slot.beginsKeyframe) {
        this.#begin(slot)
        return slot
      }
      this.#next++
    }
    return null
  }

  #lookForKeyframe(coming: VideoSource): void {
    for (; this.#comingNext < coming.end; this.#comingNext++) {
      const slot = coming.find(this.#comingNext)
      if (!slot?.beginsKeyframe) continue
      this.#source = coming
      this.#coming = null
      this.#next = slot.sequence
      this.#waitsForKeyframe = true
      return
    }
  }

  #begin(slot: HistorySlot): void {
    this.#waitsForKeyframe = false
    this.#sequenceOffset = (this.#nextSequence - slot.sequence) & 0xffff
    this.#first = slot.sequence
    this.#last = slot.sequence - 1
    this.#timestampOffset = this.#ownTimestampOffset
    if (this.#lastTimestamp === null) return
    // Two sources may show the same moment. Browsers take packets of one timestamp for one picture.
    const behind = (this.#lastTimestamp + LEAST_DISTANCE - this.timestampOf(slot)) | 0
    if (behind > 0) this.#timestampOffset += behind
  }

  /** The packet of {@link peek} was sent. */
  advance(slot: HistorySlot): void {
    this.#last = slot.sequence
    this.#next = slot.sequence + 1
    this.#nextSequence = (this.sequenceOf(slot) + 1) & 0xffff
    this.#lastTimestamp = this.timestampOf(slot)
  }

  /** The stream's sequence number of a packet, modulo 2^16. */
  sequenceOf(slot: HistorySlot): number {
    return (slot.sequence + this.#sequenceOffset) & 0xffff
  }

  /** The stream's timestamp of a packet, modulo 2^32. */
  timestampOf(slot: HistorySlot): number {
    return (slot.timestamp + this.#timestampOffset) >>> 0
  }

  /** The source's number of a packet that was sent, or -1. @param sequence of the stream, modulo 2^16 */
  sentAs(sequence: number): number {
    if (this.#waitsForKeyframe) return -1
    const wanted = this.#last - ((this.#nextSequence - 1 - sequence) & 0xffff)
    return wanted < this.#first ? -1 : wanted
  }

  /** A packet that was sent, as long as it is known. @param wanted from {@link sentAs} */
  find(wanted: number): HistorySlot | null {
    return wanted < this.#first || wanted > this.#last ? null : (this.#source?.find(wanted) ?? null)
  }

  /** The newest packet that was sent, as far as it is known. */
  get newest(): HistorySlot | null {
    return this.find(this.#last)
  }
}
