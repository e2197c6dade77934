/** The sent traffic is like a room's picture: 720p with 20 frames a second, 1.5 Mbit/s. */
export const FRAMES_PER_SECOND = 20
export const FRAME_BYTES = 9200
export const PAYLOAD_BYTES = 1150
/** One keyframe a second, so that a new receiver can start. */
export const FRAMES_PER_KEYFRAME = 20
export const VP8_PAYLOAD_TYPE = 96
export const CLOCK_RATE = 90_000
