import { access, mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import type { Persona } from './colours.ts'
import { run } from './commands.ts'

/** Small and slow enough for many browsers on two cores. */
const USUAL_HEIGHT = 360
const FRAMES_PER_SECOND = 15
/** The file is played over and over. */
const SECONDS = 2

/** Files that stand for a participant's camera and microphone. */
export interface FakeDevices {
  cameraFile: string
  microphoneFile: string
}

/** Makes a file with ffmpeg where it is not there yet; an interrupted run leaves nothing under its name. */
async function makeOnce(file: string, ffmpegArguments: readonly string[]): Promise<void> {
  const found = await access(file).then(
    () => true,
    () => false,
  )
  if (found) return
  const part = `${file}.${process.pid}`
  await run('ffmpeg', ['-v', 'error', '-y', ...ffmpegArguments, part])
  await rename(part, file)
}

/**
 * A plain colour over which a white square wanders along the lower edge, and a steady tone. Both loop without a seam.
 * @param height of the camera's picture in pixels, 16:9
 */
export async function makeFakeDevices(
  persona: Persona,
  directory: string,
  height = USUAL_HEIGHT,
): Promise<FakeDevices> {
  await mkdir(directory, { recursive: true })
  const cameraFile = path.join(directory, `${persona.name}-${height}.y4m`)
  const microphoneFile = path.join(directory, `${persona.name}.wav`)
  const hex = persona.colour.map((channel) => channel.toString(16).padStart(2, '0')).join('')
  const [width, mark] = [(height * 16) / 9, height / 6]
  const timing = `rate=${FRAMES_PER_SECOND}:duration=${SECONDS}`
  const colour = `color=0x${hex}:size=${width}x${height}:${timing}`
  const square = `color=white:size=${mark}x${mark}:${timing}`
  const wandering = `overlay=x='mod(t*${width},${width})':y=${height - mark}`
  await makeOnce(cameraFile, [
    ...['-f', 'lavfi', '-i', colour, '-f', 'lavfi', '-i', square],
    ...['-filter_complex', `[0][1]${wandering},format=yuv420p`, '-f', 'yuv4mpegpipe'],
  ])
  const sine = `sine=frequency=${persona.toneHz}:sample_rate=48000:duration=10,volume=1.2`
  await makeOnce(microphoneFile, ['-f', 'lavfi', '-i', sine, '-ac', '1', '-f', 'wav'])
  return { cameraFile, microphoneFile }
}
