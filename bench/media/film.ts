import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

const FILE_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 12

/** A camera of the benches. */
export interface Camera {
  height: 180 | 360 | 720
  fps: 10 | 15 | 20 | 30
}

/** What a camera of this size sends. */
const BITRATES = { 180: '200k', 360: '600k', 720: '1500k' } as const

/**
 * Writes a moving test picture with camera-like noise, so that it is not too easy to decode or encode: VP8 in an IVF
 * file. Only the first frame is a keyframe, so a sender has to begin again when a receiver requests one.
 */
export async function makeFilm(file: string, { height, fps }: Camera, seconds: number): Promise<void> {
  const picture = `testsrc2=size=${(height * 16) / 9}x${height}:rate=${fps}:duration=${seconds},noise=alls=6:allf=t`
  // Without alternate reference frames: every frame is shown.
  const encoder = `-c:v libvpx -deadline realtime -cpu-used 8 -auto-alt-ref 0 -b:v ${BITRATES[height]} -g 100000`
  await run('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', picture, '-pix_fmt', 'yuv420p'],
    ...encoder.split(' '),
    ...['-f', 'ivf', '-y', file],
  ])
}

/** The frames of an IVF file: a header of 32 bytes, then each frame after 12 bytes with its length and time. */
export function ivfFrames(file: Buffer): Buffer[] {
  const frames: Buffer[] = []
  for (let at = FILE_HEADER_BYTES; at + FRAME_HEADER_BYTES <= file.length; ) {
    const start = at + FRAME_HEADER_BYTES
    at = start + file.readUInt32LE(at)
    frames.push(file.subarray(start, at))
  }
  return frames
}
