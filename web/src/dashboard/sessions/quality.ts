import type { MemberQuality } from './session-queries.ts'
import type { Span } from './timeline.ts'

/** What a plot of a connection shows: the figures of both ways, or the only one. */
export const QUALITY_PLOTS = {
  loss: { up: 'uplink_loss', down: 'downlink_loss', factor: 100 },
  'round-trip': { up: 'round_trip_ms', down: null, factor: 1 },
  jitter: { up: 'jitter_ms', down: null, factor: 1 },
  bitrate: { up: 'uplink_bitrate', down: 'downlink_bitrate', factor: 1 / 1000 },
  'frame-rate': { up: 'frame_rate', down: null, factor: 1 },
} as const
export type QualityPlot = keyof typeof QUALITY_PLOTS

/** Below this share of an interval, a noise was taken for speech. */
const TALKING_LEAST = 0.05

/** When a member talked and how much of the time, 0 to 1. Neighbouring intervals with the same share are one. */
export function talkingSpans(quality: MemberQuality | undefined): (Span & { share: number })[] {
  const spans: (Span & { share: number })[] = []
  if (!quality) return spans
  const start = Date.parse(quality.start_time)
  quality.talking.forEach((value, index) => {
    if (value === null || value < TALKING_LEAST) return
    const share = Math.ceil(value * 4) / 4
    const from = start + index * quality.interval_ms
    const last = spans.at(-1)
    if (last?.to === from && last.share === share) last.to = from + quality.interval_ms
    else spans.push({ from, to: from + quality.interval_ms, share })
  })
  return spans
}

/** Unix seconds in the middle of each interval. */
export const timesOf = ({ start_time, interval_ms, talking }: MemberQuality): number[] =>
  talking.map((_, index) => (Date.parse(start_time) + (index + 0.5) * interval_ms) / 1000)

/** Mean and highest of the values that were measured; null if none was. */
export function summaryOf(values: readonly (number | null)[]): { mean: number; highest: number } | null {
  const measured = values.filter((value) => value !== null)
  if (measured.length === 0) return null
  const mean = measured.reduce((sum, value) => sum + value, 0) / measured.length
  return { mean, highest: Math.max(...measured) }
}
