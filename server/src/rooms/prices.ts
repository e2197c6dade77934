import type { Config } from '../config.ts'
import type { Quality } from '../storage/records.ts'

/** The operator's prices, in dollars. */
export type PriceList = Pick<
  Config,
  | 'pricePerMemberMinute720p'
  | 'pricePerMemberMinute1080p'
  | 'pricePerRecordedMinute'
  | 'pricePerStreamedMinute'
>

/** Rounded to millionths of a dollar. */
const dollars = (pricePerMinute: number, timeMs: number) =>
  Math.round((pricePerMinute * Math.max(0, timeMs) * 1e6) / 60_000) / 1e6

/** Cost of members who spent `timeMs` milliseconds in a room in total. */
export function memberCost(prices: PriceList, quality: Quality, timeMs: number): number {
  const { pricePerMemberMinute720p, pricePerMemberMinute1080p } = prices
  return dollars(quality === '1080p' ? pricePerMemberMinute1080p : pricePerMemberMinute720p, timeMs)
}

/** Cost of `timeMs` milliseconds of recorded media. */
export function recordingCost(prices: PriceList, timeMs: number): number {
  return dollars(prices.pricePerRecordedMinute, timeMs)
}

/** Cost of `timeMs` milliseconds of one stream. */
export function streamCost(prices: PriceList, timeMs: number): number {
  return dollars(prices.pricePerStreamedMinute, timeMs)
}
