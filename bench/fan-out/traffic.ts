/** The sent picture is like a room's: 720p with 20 frames a second, 1.5 Mbit/s. */
export const FRAMES_PER_SECOND = 20
const FRAME_BYTES = 9200
/** One keyframe a second, so that a new receiver can start. */
const FRAMES_PER_KEYFRAME = 20

/** Noise that looks like VP8 to a receiver that does not decode. The lowest bit of the frame tag is 0 in a keyframe. */
export function noiseFrames(): Buffer[] {
  return Array.from({ length: FRAMES_PER_KEYFRAME }, (_, index) => {
    const frame = Buffer.from(Array.from({ length: FRAME_BYTES }, (_, at) => (at * 31) & 0xff))
    frame[0] = index === 0 ? 0x10 : 0x11
    return frame
  })
}
