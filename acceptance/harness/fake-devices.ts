import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Persona } from './colours.ts'
import { run } from './commands.ts'

/** What the camera files have: small and slow enough for many browsers on two cores. */
export const CAMERA = { width: 640, height: 360, framesPerSecond: 15, seconds: 4 } as const

const MARK = 60

/** Files that stand for a participant's camera and microphone. */
export interface FakeDevices {
  cameraFile: string
  microphoneFile: string
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}

/**
 * A plain colour over which a white square wanders along the lower edge, and a steady tone. Both loop without a seam.
 */
export async function makeFakeDevices(persona: Persona, directory: string): Promise<FakeDevices> {
  await mkdir(directory, { recursive: true })
  const cameraFile = path.join(directory, `${persona.name}.y4m`)
  const microphoneFile = path.join(directory, `${persona.name}.wav`)
  const hex = persona.colour.map((channel) => channel.toString(16).padStart(2, '0')).join('')
  const { width, height, framesPerSecond, seconds } = CAMERA
  const colour = `color=0x${hex}:size=${width}x${height}:rate=${framesPerSecond}:duration=${seconds}`
  const square = `color=white:size=${MARK}x${MARK}:rate=${framesPerSecond}:duration=${seconds}`
  const path_ = `overlay=x='mod(t/${seconds}*${width}*2,${width})':y=${height - MARK}`
  if (!(await exists(cameraFile))) {
    await run('ffmpeg', [
      ...['-v', 'error', '-y', '-f', 'lavfi', '-i', colour, '-f', 'lavfi', '-i', square],
      ...['-filter_complex', `[0][1]${path_},format=yuv420p`, '-f', 'yuv4mpegpipe', cameraFile],
    ])
  }
  if (!(await exists(microphoneFile))) {
    const sine = `sine=frequency=${persona.toneHz}:sample_rate=48000:duration=10,volume=2`
    await run('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', sine, '-ac', '1', microphoneFile])
  }
  return { cameraFile, microphoneFile }
}
