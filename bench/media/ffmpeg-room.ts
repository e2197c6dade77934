import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { promisify } from 'node:util'
import { defaultVideoBitrateBps } from '../../server/src/media-worker/mixer/video-bitrate.ts'

/** Where a camera is shown, in pixels of the canvas. */
export interface Area {
  x: number
  y: number
  width: number
  height: number
}

/** The composed picture. */
export interface Canvas {
  width: number
  height: number
  fps: number
}

/** The picture of a room by default. */
export const ROOM_CANVAS: Canvas = { width: 1280, height: 720, fps: 20 }

/** Where a room shows four members in it. */
export const QUARTERS: readonly Area[] = [0, 1, 2, 3].map((index) => ({
  x: 640 * (index % 2),
  y: 360 * (index >> 1),
  width: 640,
  height: 360,
}))

/** Leaves all parts of `ffmpeg` with one thread each: with more it takes more processor time for the same work. */
const ONE_THREAD = '-filter_threads 1 -filter_complex_threads 1'.split(' ')

/** A filter graph that scales the video of each input into its area of the canvas. Its result is `[picture]`. */
function stack(areas: readonly Area[], { width, height, fps }: Canvas): string {
  const scaled = areas.map(
    (area, index) => `[${index}:v]fps=${fps},scale=${area.width}:${area.height}:flags=area[t${index}]`,
  )
  const names = areas.map((_, index) => `[t${index}]`).join('')
  const layout = areas.map(({ x, y }) => `${x}_${y}`).join('|')
  const joined = `${names}xstack=inputs=${areas.length}:layout=${layout}:fill=black,pad=${width}:${height}[picture]`
  return [...scaled, joined].join(';')
}

/** The settings of the server's own encoder. */
function encoder({ width, height, fps }: Canvas): string[] {
  const bitrate = String(defaultVideoBitrateBps(width, height, fps))
  return [
    ...'-pix_fmt yuv420p -c:v libx264 -threads 1 -preset superfast -tune zerolatency -profile:v baseline'.split(
      ' ',
    ),
    ...`-sc_threshold 0 -g 1200 -b:v ${bitrate} -maxrate ${bitrate} -bufsize ${bitrate}`.split(' '),
  ]
}

/**
 * Composes the picture of a film that is shown in each area, as fast as possible.
 * @returns milliseconds of CPU time
 */
export async function composeWithFfmpeg(
  film: string,
  areas: readonly Area[],
  canvas: Canvas,
): Promise<number> {
  const { stderr } = await promisify(execFile)('ffmpeg', [
    ...['-hide_banner', '-v', 'info', '-nostats', '-benchmark'],
    ...ONE_THREAD,
    ...areas.flatMap(() => ['-threads', '1', '-i', film]),
    ...['-filter_complex', stack(areas, canvas), '-map', '[picture]'],
    ...encoder(canvas),
    ...['-f', 'null', '-'],
  ])
  const times = /bench: utime=([\d.]+)s stime=([\d.]+)s/.exec(stderr)
  if (!times) throw new Error(`ffmpeg told no times: ${stderr.slice(-500)}`)
  return (Number(times[1]) + Number(times[2])) * 1000
}

/** Adds a tone in Opus to a film, so that ffmpeg has both in one file. */
export async function addTone(film: string, file: string): Promise<void> {
  const inputs = ['-i', film, '-f', 'lavfi', '-i', 'sine=440:r=48000']
  const codecs = '-c:v copy -c:a libopus -b:a 32k -ac 1 -shortest -y'.split(' ')
  await promisify(execFile)('ffmpeg', ['-v', 'error', ...inputs, ...codecs, file])
}

/**
 * An `ffmpeg` that does in real time what a recorded room does: it decodes picture and sound of each member, scales and
 * stacks the pictures, encodes them, mixes the sound, encodes that once, and writes both to a fragmented MP4.
 */
export class FfmpegRoom {
  readonly #process: ChildProcess
  #errors = ''

  /**
   * @param members a file with picture and sound, which is played again and again for each area
   * @param output file to write
   * @param priority nice value of the process that it is compared with
   */
  constructor(members: string, areas: readonly Area[], canvas: Canvas, output: string, priority: number) {
    const mixed = `${areas.map((_, index) => `[${index}:a]`).join('')}amix=inputs=${areas.length}:normalize=0[sound]`
    this.#process = spawn(
      'ffmpeg',
      [
        ...['-hide_banner', '-v', 'error', '-nostats', '-nostdin', ...ONE_THREAD],
        ...areas.flatMap(() => ['-threads', '1', '-re', '-stream_loop', '-1', '-i', members]),
        ...['-filter_complex', `${stack(areas, canvas)};${mixed}`, '-map', '[picture]', '-map', '[sound]'],
        ...encoder(canvas),
        ...'-c:a aac -b:a 96k -ac 1 -ar 48000'.split(' '),
        ...'-movflags empty_moov+default_base_moof -frag_duration 500000 -flush_packets 1 -y'.split(' '),
        output,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#errors += text))
    setPriority(this.pid, priority)
  }

  get pid(): number {
    return this.#process.pid!
  }

  /** @throws if it has ended by itself */
  confirm(): void {
    if (this.#process.exitCode !== null) throw new Error(`ffmpeg ended: ${this.#errors.slice(-500)}`)
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }
}
