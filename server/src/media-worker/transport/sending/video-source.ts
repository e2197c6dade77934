import type { HistorySlot } from './packet-history.ts'

/** One encoded stream of packets, numbered without bound, that any number of browsers get. */
export interface VideoSource {
  /** Number of the packet after the newest. */
  readonly end: number
  /** @returns null where the packet is too old, or not there yet */
  find(sequence: number): HistorySlot | null
  onKeyframeNeeded(): void
}
