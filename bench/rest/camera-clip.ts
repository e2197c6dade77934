import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const FILE_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 12

/** The camera's size and frame rate match a tile of a room of four. */
export const CAMERA_FPS = 20
const SECONDS = 4
const BITRATE = '600k'

/**
 * Frames of a moving test picture, 640x360 in VP8. Only the first is a keyframe, so the clip has to start again when a
 * receiver requests a keyframe.
 */
export async function cameraClip(): Promise<Buffer[]> {
  const input = ['-f', 'lavfi', '-i', `testsrc2=s=640x360:r=${CAMERA_FPS}:d=${SECONDS}`]
  const encoder = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', BITRATE]
  // Without alternate reference frames: every frame is shown.
  const options = ['-auto-alt-ref', '0', '-g', '100000', '-f', 'ivf', 'pipe:1']
  const { stdout } = await promisify(execFile)('ffmpeg', ['-v', 'error', ...input, ...encoder, ...options], {
    encoding: 'buffer',
    maxBuffer: 16 * 1024 * 1024,
  })
  const frames = ivfFrames(stdout)
  if (frames.length !== CAMERA_FPS * SECONDS) throw new Error(`FFmpeg made ${frames.length} frames`)
  return frames
}

/** The frames of an IVF file. */
export function ivfFrames(file: Buffer): Buffer[] {
  const frames: Buffer[] = []
  for (let at = FILE_HEADER_BYTES; at < file.length; ) {
    const start = at + FRAME_HEADER_BYTES
    at = start + file.readUInt32LE(at)
    frames.push(file.subarray(start, at))
  }
  return frames
}
