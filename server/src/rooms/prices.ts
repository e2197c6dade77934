import type { Config } from '../config.ts'
import type { Quality } from '../storage/records.ts'

/** What the operator charges, in dollars. */
export type PriceList = Pick<
  Config,
  | 'pricePerMemberMinute720p'
  | 'pricePerMemberMinute1080p'
  | 'pricePerRecordedMinute'
  | 'pricePerStreamedMinute'
>

/** Millionths of a dollar are the least that is told apart. */
const dollars = (pricePerMinute: number, timeMs: number) =>
  Math.round((pricePerMinute * Math.max(0, timeMs) * 1e6) / 60_000) / 1e6

/** What members cost who were in a room for `timeMs` milliseconds together. */
export function memberCost(prices: PriceList, quality: Quality, timeMs: number): number {
  const { pricePerMemberMinute720p, pricePerMemberMinute1080p } = prices
  return dollars(quality === '1080p' ? pricePerMemberMinute1080p : pricePerMemberMinute720p, timeMs)
}

/** What `timeMs` milliseconds of recorded media cost. */
export function recordingCost(prices: PriceList, timeMs: number): number {
  return dollars(prices.pricePerRecordedMinute, timeMs)
}

/** What `timeMs` milliseconds of one stream cost. */
export function streamCost(prices: PriceList, timeMs: number): number {
  return dollars(prices.pricePerStreamedMinute, timeMs)
}
