import type { HistorySlot } from './packet-history.ts'

/** One encoded stream of packets, numbered without bound, that any number of browsers get. */
export interface VideoSource {
  /** Number of the packet after the newest. */
  readonly end: number
  /** @returns null where the packet is too old, or not there yet */
  find(sequence: number): HistorySlot | null
  /**
   * Number of the first packet of a keyframe that came a moment ago, where all packets since then are there: somebody new may begin with
   * it. Null where there is none.
   */
  readonly recentKeyframe: number | null
  onKeyframeNeeded(): void
}
