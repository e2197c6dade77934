import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const ACCESS_UNIT_DELIMITER = Buffer.from([0, 0, 0, 1, 9])

/** Access units of a moving test picture, 640x360 at 20 frames a second; only the first is a keyframe. */
export async function h264Clip(seconds: number): Promise<Buffer[]> {
  const input = ['-f', 'lavfi', '-i', `testsrc2=s=640x360:r=20:d=${seconds}`]
  const encoder = [
    '-c:v',
    'libx264',
    '-preset',
    'superfast',
    '-tune',
    'zerolatency',
    '-profile:v',
    'baseline',
  ]
  const options = ['-g', '100000', '-x264-params', 'aud=1:scenecut=0', '-b:v', '800k', '-f', 'h264', 'pipe:1']
  const { stdout } = await promisify(execFile)('ffmpeg', ['-v', 'error', ...input, ...encoder, ...options], {
    encoding: 'buffer',
    maxBuffer: 64 * 1024 * 1024,
  })
  const units: Buffer[] = []
  for (let start = stdout.indexOf(ACCESS_UNIT_DELIMITER); start >= 0; ) {
    const next = stdout.indexOf(ACCESS_UNIT_DELIMITER, start + 1)
    units.push(stdout.subarray(start, next < 0 ? stdout.length : next))
    start = next
  }
  return units
}
