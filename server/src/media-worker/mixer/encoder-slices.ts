/** A larger picture than 720p: encoding takes 12 ms, more than all else in the thread of a room. */
const LARGE_PIXELS = 1280 * 720
/** Each slice costs some bytes, and one and a half per cent of processor time. */
const MOST_SLICES = 2

/**
 * How many cores may encode one picture of this size.
 * @param cores of the machine
 */
export function encoderSlices({ width, height }: { width: number; height: number }, cores: number): number {
  return width * height > LARGE_PIXELS ? Math.min(MOST_SLICES, cores) : 1
}
