import type { Region, Rgb } from '../page/picture.ts'
import { run } from './commands.ts'

/** What ffprobe reports about a media file. */
export interface Probe {
  formatNames: string
  durationSeconds: number
  video: { codec: string; width: number; height: number; startSeconds: number; endSeconds: number } | null
  audio: { codec: string; sampleRate: number; channels: number; startSeconds: number } | null
}

interface ProbeStream {
  codec_type: string
  codec_name: string
  width: number
  height: number
  start_time: string
  duration: string
  sample_rate: string
  channels: number
}

/** Container, length and streams of a file. */
export async function probe(file: string): Promise<Probe> {
  const output = await run('ffprobe', [
    ...['-v', 'error', '-of', 'json', '-show_format', '-show_streams'],
    file,
  ])
  const { format, streams } = JSON.parse(output.toString()) as {
    format: { format_name: string; duration?: string }
    streams: ProbeStream[]
  }
  const video = streams.find(({ codec_type }) => codec_type === 'video')
  const audio = streams.find(({ codec_type }) => codec_type === 'audio')
  return {
    formatNames: format.format_name,
    durationSeconds: Number(format.duration ?? Number.NaN),
    video: video
      ? {
          codec: video.codec_name,
          width: video.width,
          height: video.height,
          startSeconds: Number(video.start_time),
          endSeconds: Number(video.start_time) + Number(video.duration),
        }
      : null,
    audio: audio
      ? {
          codec: audio.codec_name,
          sampleRate: Number(audio.sample_rate),
          channels: audio.channels,
          startSeconds: Number(audio.start_time),
        }
      : null,
  }
}

/** A decoded picture, scaled down. */
export interface Still {
  width: number
  height: number
  /** RGB, 3 bytes to a pixel. */
  pixels: Buffer
}

const STILL_WIDTH = 320
const STILL_HEIGHT = 180

const STILL_BYTES = STILL_WIDTH * STILL_HEIGHT * 3
/** The longest time between two pictures of a file. */
const LONGEST_STILL_SECONDS = 2

/** The picture that a player shows at a time of the file: the last picture at or before that time. */
export async function stillAt(file: string, seconds: number): Promise<Still> {
  const from = Math.max(0, seconds - LONGEST_STILL_SECONDS)
  const pictures = await run('ffmpeg', [
    ...['-v', 'error', '-ss', String(from), '-t', String(seconds - from + 0.001), '-i', file],
    ...['-fps_mode', 'passthrough', '-vf', `scale=${STILL_WIDTH}:${STILL_HEIGHT}:flags=area`],
    ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'],
  ])
  if (pictures.length === 0 || pictures.length % STILL_BYTES > 0)
    throw new Error(`${file}: no picture at ${seconds} s`)
  return { width: STILL_WIDTH, height: STILL_HEIGHT, pixels: pictures.subarray(-STILL_BYTES) }
}

/** The middle one of an odd number of values, else the upper of the two. */
export function median(values: number[]): number {
  values.sort((a, b) => a - b)
  return values[values.length >> 1] ?? 0
}

/** The colour of a region: the median of each channel, so that a small mark in it does not count. */
export function colourIn({ width, height, pixels }: Still, region: Region): Rgb {
  const channels: [number[], number[], number[]] = [[], [], []]
  const bottom = ((region.y + region.height) / 100) * height
  const right = ((region.x + region.width) / 100) * width
  for (let y = Math.ceil((region.y / 100) * height); y < bottom; y++) {
    for (let x = Math.ceil((region.x / 100) * width); x < right; x++) {
      const at = (y * width + x) * 3
      for (const channel of [0, 1, 2] as const) channels[channel].push(pixels[at + channel] ?? 0)
    }
  }
  return [median(channels[0]), median(channels[1]), median(channels[2])]
}

/** Mono sound on the timeline of the file: sample 0 is at second 0, and gaps are silence. */
export interface Sound {
  sampleRate: number
  samples: Float32Array
}

/** Decodes the sound of a file. */
export async function soundOf(file: string): Promise<Sound> {
  const sampleRate = 16_000
  const bytes = await run('ffmpeg', [
    ...['-v', 'error', '-i', file, '-vn', '-af', 'aresample=async=1:first_pts=0'],
    ...['-ac', '1', '-ar', String(sampleRate), '-f', 'f32le', '-'],
  ])
  const samples = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  return { sampleRate, samples }
}

/**
 * Loudness of one tone in a part of a sound (Goertzel's algorithm under a Hann window).
 * @returns dBFS of the tone's amplitude
 */
export function toneLevel(
  { sampleRate, samples }: Sound,
  frequency: number,
  fromSeconds: number,
  toSeconds: number,
) {
  const part = samples.subarray(Math.round(fromSeconds * sampleRate), Math.round(toSeconds * sampleRate))
  if (part.length < sampleRate / 20) return Number.NEGATIVE_INFINITY
  const coefficient = 2 * Math.cos((2 * Math.PI * frequency) / sampleRate)
  let [s1, s2] = [0, 0]
  part.forEach((sample, i) => {
    const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / part.length)
    const s0 = sample * window + coefficient * s1 - s2
    s2 = s1
    s1 = s0
  })
  const power = s1 * s1 + s2 * s2 - coefficient * s1 * s2
  return 20 * Math.log10((4 * Math.sqrt(Math.max(power, 1e-20))) / part.length)
}

/** When each picture of a file is shown, in seconds, ascending. */
export async function frameTimes(file: string): Promise<number[]> {
  const stamps = await run('ffprobe', [
    ...['-v', 'error', '-select_streams', 'v:0', '-show_entries', 'frame=best_effort_timestamp_time'],
    ...['-of', 'csv=p=0', file],
  ])
  return stamps
    .toString()
    .split('\n')
    .map((line) => Number.parseFloat(line))
    .filter((seconds) => !Number.isNaN(seconds))
}

/** Brightness of one frame. */
export interface FrameBrightness {
  /** Seconds on the file's timeline. */
  seconds: number
  /** Mean over the region, 0 to 255. */
  brightness: number
}

/** Brightness of a region over time, every frame of the file. */
export async function brightnessOverTime(file: string, region: Region): Promise<FrameBrightness[]> {
  const crop = `crop=iw*${region.width / 100}:ih*${region.height / 100}:iw*${region.x / 100}:ih*${region.y / 100}`
  const [gray, seconds] = await Promise.all([
    run('ffmpeg', [
      ...['-v', 'error', '-i', file, '-an', '-vf', `${crop},scale=1:1:flags=area,format=gray`],
      ...['-fps_mode', 'passthrough', '-f', 'rawvideo', '-'],
    ]),
    frameTimes(file),
  ])
  return Array.from(gray.subarray(0, seconds.length), (brightness, i) => ({
    seconds: seconds[i] ?? 0,
    brightness,
  }))
}

/** Times in seconds at which a series rises above a level, coming from below. */
export function risesAbove(series: readonly { seconds: number; value: number }[], level: number): number[] {
  return series
    .filter(({ value }, i) => i > 0 && value >= level && (series[i - 1]?.value ?? 0) < level)
    .map(({ seconds }) => seconds)
}

/** Times in seconds at which the 1 kHz beeps of a sound begin. */
export function beepOnsets(sound: Sound): number[] {
  const step = 0.005
  const window = 0.01
  const length = sound.samples.length / sound.sampleRate
  const series = Array.from({ length: Math.max(0, Math.floor((length - window) / step)) }, (_, i) => {
    const from = Math.round(i * step * sound.sampleRate)
    const part = sound.samples.subarray(from, from + Math.round(window * sound.sampleRate))
    const power = part.reduce((sum, sample) => sum + sample * sample, 0) / part.length
    return { seconds: i * step + window / 2, value: Math.sqrt(power) }
  })
  return risesAbove(series, 0.05)
}

/** A flash and the beep that belongs to it. */
export interface FlashAndBeep {
  flashSeconds: number
  beepSeconds: number
  /** How much later the sound comes than the picture, in milliseconds. */
  soundLateMs: number
}

/** Pairs each flash in a region with the nearest beep. */
export async function flashesAndBeeps(file: string, region: Region): Promise<FlashAndBeep[]> {
  const [frames, sound] = await Promise.all([brightnessOverTime(file, region), soundOf(file)])
  const flashes = risesAbove(
    frames.map(({ seconds, brightness }) => ({ seconds, value: brightness })),
    128,
  )
  const beeps = beepOnsets(sound)
  return flashes.map((flashSeconds) => {
    const nearest = beeps.reduce(
      (best, beep) => (Math.abs(beep - flashSeconds) < Math.abs(best - flashSeconds) ? beep : best),
      Number.POSITIVE_INFINITY,
    )
    return { flashSeconds, beepSeconds: nearest, soundLateMs: (nearest - flashSeconds) * 1000 }
  })
}
