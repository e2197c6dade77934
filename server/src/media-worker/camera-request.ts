/** What a camera may send at most so that its picture still fills its tile. */
export interface CameraRequest {
  width: number
  height: number
  frameRate: number
  maxBitrateBps: number
}

/**
 * The sizes a camera is asked for. Few steps, so that a tile that changes by some pixels does not restart a camera;
 * bitrates are what VP8 needs for a talking head at that size.
 */
const STEPS = [
  { width: 320, height: 180, maxBitrateBps: 250_000 },
  { width: 640, height: 360, maxBitrateBps: 700_000 },
  { width: 960, height: 540, maxBitrateBps: 1_300_000 },
  { width: 1280, height: 720, maxBitrateBps: 2_000_000 },
  { width: 1920, height: 1080, maxBitrateBps: 4_000_000 },
] as const

/** A tile this much larger than a step is still served by it: the eye does not see the difference. */
const STRETCH = 1.1

/** What cameras are asked for at most. */
export interface CameraLimits {
  /** Frame rate of the composed picture. */
  fps: number
  /** One size less than fills the tile, because the machine has too much to do. */
  hasSmallCameras: boolean
}

/** @param tile size of the member's tile in pixels of the canvas; null while it has none (off canvas) */
export function cameraRequest(
  tile: { width: number; height: number } | null,
  { fps, hasSmallCameras }: CameraLimits,
): CameraRequest {
  const filling = tile ? STEPS.findIndex((step) => step.height * STRETCH >= tile.height) : 0
  const index = (filling < 0 ? STEPS.length - 1 : filling) - (hasSmallCameras ? 1 : 0)
  return { ...(STEPS[index] ?? STEPS[0]), frameRate: fps }
}
