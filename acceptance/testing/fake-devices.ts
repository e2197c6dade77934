import { access, mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Persona } from './colours.ts'
import { run } from './commands.ts'

/** The size and rate are low enough for five browsers and the server on two cores. */
const USUAL_HEIGHT = 180
const FRAMES_PER_SECOND = 15
/** Length of the file, which is played in a loop. */
const SECONDS = 2

/** About a minute of English prose, spoken without long pauses. */
const PROSE = [
  'The old lighthouse keeper climbed the stairs every evening, carrying a lamp, a loaf of bread and a book about the sea.',
  'Most of the ships that passed were small, and most of their captains knew him by name.',
  'He wrote down the weather, the wind and the hour, and whether the fog had hidden the rocks before the tide came in.',
  'When the new road was built along the coast, people began to visit him, and they asked why he had never left.',
  'Because somebody has to be here, he said, and because the view from the gallery is different each morning.',
  'Children liked the brass machinery best, which turned slowly and quietly while the whole tower seemed to breathe.',
  'In winter the windows froze, so he polished them twice, and the light could still be seen from twenty miles away.',
  'One night a fishing boat lost its engine, and the crew followed the beam through the storm until they were safe.',
].join(' ')

/** What a microphone hears: the persona's own tone, or a voice. */
export type MicrophoneSound = 'tone' | 'speech'

/** Files that serve as a participant's camera and microphone. */
export interface FakeDevices {
  cameraFile: string
  microphoneFile: string
}

/** Creates a file with ffmpeg if it does not exist. An interrupted run leaves no file with this name. */
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

/** Creates continuous speech with espeak-ng. */
async function makeSpeech(file: string): Promise<void> {
  const spoken = `${file}.${process.pid}.spoken.wav`
  await run('espeak-ng', ['-v', 'en-gb', '-s', '165', '-w', spoken, PROSE])
  await makeOnce(file, ['-i', spoken, '-ar', '48000', '-ac', '1', '-f', 'wav'])
  await rm(spoken)
}

/**
 * Creates a plain colour with a white square that moves along the lower edge, and a steady tone or a voice. Picture and
 * tone loop without a visible or audible break.
 * @param height of the camera's picture in pixels, 16:9
 */
export async function makeFakeDevices(
  persona: Persona,
  directory: string,
  height = USUAL_HEIGHT,
  sound: MicrophoneSound = 'tone',
): Promise<FakeDevices> {
  await mkdir(directory, { recursive: true })
  const cameraFile = path.join(directory, `${persona.name}-${height}.y4m`)
  const microphoneFile = path.join(directory, sound === 'speech' ? 'speech.wav' : `${persona.name}.wav`)
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
  if (sound === 'speech') {
    await makeSpeech(microphoneFile)
    return { cameraFile, microphoneFile }
  }
  const sine = `sine=frequency=${persona.toneHz}:sample_rate=48000:duration=10,volume=1.2`
  await makeOnce(microphoneFile, ['-f', 'lavfi', '-i', sine, '-ac', '1', '-f', 'wav'])
  return { cameraFile, microphoneFile }
}

/**
 * Creates the sound of a loud room: two seconds of a voice, one second of pause, and so on, over white noise.
 * @returns the file
 */
export async function makeNoisyMicrophone(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true })
  const speech = path.join(directory, 'speech.wav')
  await makeSpeech(speech)
  const file = path.join(directory, 'noisy-speech.wav')
  const mixed = `[0]volume='lt(mod(t,3),2)':eval=frame[voice];[voice][1]amix=normalize=0:duration=first`
  const noise = 'anoisesrc=colour=white:sample_rate=48000:amplitude=0.05'
  await makeOnce(file, ['-i', speech, '-f', 'lavfi', '-i', noise, '-filter_complex', mixed, '-f', 'wav'])
  return file
}
