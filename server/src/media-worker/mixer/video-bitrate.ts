/**
 * 1.5 Mbit/s for 720p at 20 a second (SSIM .954 for rooms of camera pictures). More pixels and more pictures need
 * less than proportionally more.
 */
export function defaultVideoBitrateBps(width: number, height: number, fps: number): number {
  const bitrateBps = 1_500_000 * ((width * height) / (1280 * 720)) ** 0.75 * (fps / 20) ** 0.6
  return Math.round(bitrateBps / 50_000) * 50_000
}

/** What a talking head needs at {@link smallSize}. */
export const SMALL_BITRATE_BPS = 350_000
/** A keyframe takes no longer than this on a network that carries just the bitrate: longer, and it would be lost in the queue. */
export const SMALL_BUFFER_S = 0.35
const SMALL_HEIGHT = 360

/** Size of the small encode: a quarter of the pixels of 720p. @param width and `height` of the canvas */
export function smallSize(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, SMALL_HEIGHT / height)
  const even = (length: number) => 2 * Math.round((length * scale) / 2)
  return { width: even(width), height: even(height) }
}
