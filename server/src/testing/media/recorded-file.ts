import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const MAX_OUTPUT = 512 * 1024 * 1024

export interface Probe {
  format: { format_name: string; duration: string; start_time: string }
  streams: ProbedStream[]
}

export interface ProbedStream {
  codec_name: string
  codec_type: 'audio' | 'video'
  profile: string
  start_time: string
  duration: string
  sample_rate?: string
  width?: number
  height?: number
  color_space?: string
  color_range?: string
  nb_frames?: string
}

/** One packet as ffprobe lists it, times in seconds. */
export interface ProbedPacket {
  codec_type: 'audio' | 'video'
  pts: number
  duration: number
  keyframe: boolean
}

export async function probe(file: string): Promise<Probe> {
  const { stdout } = await run('ffprobe', [
    '-v',
    'error',
    '-of',
    'json',
    '-show_format',
    '-show_streams',
    file,
  ])
  return JSON.parse(stdout) as Probe
}

export async function listPackets(file: string): Promise<ProbedPacket[]> {
  const { stdout } = await run(
    'ffprobe',
    ['-v', 'error', '-of', 'json', '-show_entries', 'packet=codec_type,pts_time,duration_time,flags', file],
    { maxBuffer: MAX_OUTPUT },
  )
  const { packets } = JSON.parse(stdout) as { packets: Record<string, string>[] }
  return packets.map((packet) => ({
    codec_type: packet.codec_type as 'audio' | 'video',
    pts: Number(packet.pts_time),
    duration: Number(packet.duration_time),
    keyframe: packet.flags?.startsWith('K') ?? false,
  }))
}

/**
 * Decodes the whole file.
 * @returns ffmpeg's complaints; empty for a correct file. ffmpeg's own output counts in whole pictures and may find two
 * at one time. That is no fault of the file, so it is filtered out
 */
export async function decodeErrors(file: string): Promise<string> {
  const { stderr } = await run('ffmpeg', [
    '-v',
    'error',
    '-i',
    file,
    '-fps_mode',
    'passthrough',
    '-f',
    'null',
    '-',
  ])
  const lines = stderr
    .split('\n')
    .filter((line) => !line.includes('non monotonically increasing dts to muxer'))
  return lines.join('\n').trim()
}

/** The mean of Y, U and V of each picture, with its time in milliseconds from the file's timestamps. */
export async function pictureMeans(
  file: string,
): Promise<{ atMs: number; y: number; u: number; v: number }[]> {
  const { stdout } = await run(
    'ffprobe',
    [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-of',
      'json',
      '-show_entries',
      'frame=pts_time:frame_tags=lavfi.signalstats.YAVG,lavfi.signalstats.UAVG,lavfi.signalstats.VAVG',
      `movie=${file},signalstats`,
    ],
    { maxBuffer: MAX_OUTPUT },
  )
  const { frames } = JSON.parse(stdout) as { frames: { pts_time: string; tags: Record<string, string> }[] }
  return frames.map(({ pts_time, tags }) => ({
    atMs: Number(pts_time) * 1000,
    y: Number(tags['lavfi.signalstats.YAVG']),
    u: Number(tags['lavfi.signalstats.UAVG']),
    v: Number(tags['lavfi.signalstats.VAVG']),
  }))
}

/** The sound from the start of the file, at 48 kHz. Gaps are filled as a player does. */
export async function decodeSound(file: string): Promise<Float32Array> {
  const { stdout } = await run(
    'ffmpeg',
    [
      '-v',
      'error',
      '-i',
      file,
      '-vn',
      '-af',
      'aresample=async=1:first_pts=0',
      '-f',
      'f32le',
      '-ac',
      '1',
      '-ar',
      '48000',
      '-',
    ],
    { encoding: 'buffer', maxBuffer: MAX_OUTPUT },
  )
  return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length))
}

/** Times in milliseconds at which the sound rises above `threshold` after at least 300 ms below it. */
export function soundOnsets(pcm: Float32Array, threshold: number): number[] {
  const onsets: number[] = []
  let lastLoud = Number.NEGATIVE_INFINITY
  for (let index = 0; index < pcm.length; index++) {
    if (Math.abs(pcm[index]!) < threshold) continue
    if (index - lastLoud > 14_400) onsets.push(index / 48)
    lastLoud = index
  }
  return onsets
}
