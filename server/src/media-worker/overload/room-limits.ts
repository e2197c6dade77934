import { givesUp, type OverloadStep } from '../../resources/overload-steps.ts'
import type { VideoEffort } from '../media-types.ts'
import { USUAL_STILL_INTERVAL_MS } from '../mixer/still-interval.ts'

const OVERLOADED_STILL_INTERVAL_MS = 1000

/** What a room may spend. */
export interface RoomLimits extends VideoEffort {
  /** Cameras are asked for one size less than would fill their tiles. */
  hasSmallCameras: boolean
}

/** @param fps of the room */
export function roomLimits(step: OverloadStep, fps: number): RoomLimits {
  const mostFps = givesUp(step, 'fps-10') ? 10 : givesUp(step, 'fps-15') ? 15 : fps
  return {
    fps: Math.min(fps, mostFps),
    isFast: givesUp(step, 'fast-encoding'),
    stillIntervalMs: givesUp(step, 'still-rooms') ? OVERLOADED_STILL_INTERVAL_MS : USUAL_STILL_INTERVAL_MS,
    hasSmallCameras: givesUp(step, 'small-cameras'),
  }
}
