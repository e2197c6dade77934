import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ivfFrames } from '../media/film.ts'

const run = promisify(execFile)

/** The clock shows a number with this many bits, one column per bit, the lowest bit on the left. */
const BITS = 10
const FRAMES = 2 ** BITS
const FRAME_MS = 50
/** Frames per second of the clock's film. */
export const CLOCK_FPS = 1000 / FRAME_MS
/** After this time the clock starts again, in milliseconds. */
const PERIOD_MS = FRAMES * FRAME_MS
const WHITE = 235
const BLACK = 16

/** A camera that shows the time: 20 VP8 frames a second. Each is a keyframe, so that the stream can start anywhere. */
export async function clockClip(): Promise<Buffer[]> {
  const column = `floor(X*${BITS}/W)`
  const bit = `mod(floor(N/pow(2,${column})),2)`
  const picture = `nullsrc=s=320x180:r=${CLOCK_FPS}:d=${PERIOD_MS / 1000},geq=lum='if(${bit},${WHITE},${BLACK})':cb=128:cr=128`
  const encoder = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '800k', '-g', '1']
  const { stdout } = await run(
    'ffmpeg',
    [
      ...['-v', 'error', '-f', 'lavfi', '-i', picture],
      ...encoder,
      ...['-auto-alt-ref', '0', '-f', 'ivf', 'pipe:1'],
    ],
    { encoding: 'buffer', maxBuffer: 256 * 1024 * 1024 },
  )
  const frames = ivfFrames(stdout)
  if (frames.length !== FRAMES) throw new Error(`FFmpeg made ${frames.length} frames`)
  return frames
}

/** Which frame of {@link clockClip} shows a time that is given in Unix milliseconds. */
export const clockFrameAt = (unixMs: number): number => Math.floor(unixMs / FRAME_MS) % FRAMES

/**
 * Decodes a recording of one such camera like a player, and reads the clock in its last picture.
 * @param nearMs a time close to which that picture was taken, in Unix milliseconds
 * @returns Unix milliseconds; null if no picture of the file shows the clock
 * @throws if the file cannot be played without errors
 */
export async function lastClock(file: string, nearMs: number): Promise<number | null> {
  const columns = ['-vf', `scale=${BITS}:1:flags=area,format=gray`]
  const { stdout, stderr } = await run(
    'ffmpeg',
    ['-v', 'error', '-i', file, ...columns, '-f', 'rawvideo', 'pipe:1'],
    { encoding: 'buffer', maxBuffer: 256 * 1024 * 1024 },
  )
  if (stderr.length > 0) throw new Error(`${file} is damaged: ${stderr.toString().slice(0, 500)}`)
  for (let at = stdout.length - BITS; at >= 0; at -= BITS) {
    const frame = clockOf(stdout.subarray(at, at + BITS))
    if (frame !== null) return nearestTime(frame, nearMs)
  }
  return null
}

/** @returns null if a column is neither black nor white: then this is no picture of the camera */
function clockOf(columns: Uint8Array): number | null {
  let frame = 0
  for (const [bit, level] of columns.entries()) {
    if (level > BLACK + 40 && level < WHITE - 40) return null
    if (level > 128) frame |= 1 << bit
  }
  return frame
}

function nearestTime(frame: number, nearMs: number): number {
  const period = Math.round((nearMs - frame * FRAME_MS) / PERIOD_MS)
  return period * PERIOD_MS + frame * FRAME_MS
}
