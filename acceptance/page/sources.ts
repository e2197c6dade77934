/**
 * The sources that the page captures. The default is the browser's fake camera and microphone, with speech processing
 * off: a noise suppressor treats a steady tone as noise. The drawn sources replace them when picture and sound must
 * follow the page's clock.
 */

import { drawScreen, SCREEN_HEIGHT, SCREEN_WIDTH } from './drawn-screen.ts'

export type SourceKind = 'devices' | 'flash-and-beep' | 'mark' | 'lively'

const WIDTH = 640
const HEIGHT = 360
const FRAME_INTERVAL_MS = 33
const LIVELY_INTERVAL_MS = 100
/** Time from drawing a picture until it is captured; measured with `recordLocally`. */
const CAPTURE_DELAY_SECONDS = 0.015

const capture = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)

function unprocessed(constraints: MediaStreamConstraints | undefined): MediaStreamConstraints {
  if (!constraints?.audio) return constraints ?? {}
  const audio = constraints.audio === true ? {} : constraints.audio
  return {
    ...constraints,
    audio: { ...audio, echoCancellation: false, noiseSuppression: false, autoGainControl: false },
  }
}

/** A picture drawn by the page. It is captured about 30 times a second, and at once when it changes. */
interface Drawing {
  context: CanvasRenderingContext2D
  track: CanvasCaptureMediaStreamTrack
}

function drawing(width = WIDTH, height = HEIGHT): Drawing {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  const [track] = canvas.captureStream(0).getVideoTracks()
  if (context === null || track === undefined) throw new Error('no 2d canvas to capture')
  return { context, track: track as CanvasCaptureMediaStreamTrack }
}

/** @param draw paints one frame and returns whether it must be captured now */
function onEachFrame({ track }: Drawing, draw: () => boolean): void {
  let capturedAtMs = 0
  const next = () => {
    if (draw() || performance.now() - capturedAtMs >= FRAME_INTERVAL_MS - 4) {
      capturedAtMs = performance.now()
      track.requestFrame()
    }
    requestAnimationFrame(next)
  }
  next()
}

/** One flash of the `flash-and-beep` source, at the time when it was really painted. */
export interface PaintedFlash {
  /** Unix epoch, milliseconds. */
  atMs: number
  /** How much later the flash came than its beep. A browser that is short of processor time paints late. */
  lateMs: number
}

const flashes: PaintedFlash[] = []

/** Every flash painted so far. */
export const paintedFlashes = (): PaintedFlash[] => flashes

/** Shows a white picture and plays a 1 kHz tone together, once a second, for 200 ms. */
function flashAndBeep(): MediaStream {
  const picture = drawing()
  const audio = new AudioContext({ latencyHint: 'interactive' })
  const oscillator = new OscillatorNode(audio, { frequency: 1000 })
  const gate = new GainNode(audio, { gain: 0 })
  const output = audio.createMediaStreamDestination()
  oscillator.connect(gate).connect(output)
  oscillator.start()
  let scheduledSecond = 0
  let lit = false
  onEachFrame(picture, () => {
    const now = audio.currentTime
    const second = Math.ceil(now + 0.1)
    if (second > scheduledSecond) {
      scheduledSecond = second
      gate.gain.setValueAtTime(0.5, second)
      gate.gain.setValueAtTime(0, second + 0.2)
    }
    const before = lit
    lit = now >= 1 && (now + CAPTURE_DELAY_SECONDS) % 1 < 0.2
    if (lit && !before) {
      const phase = (now + CAPTURE_DELAY_SECONDS) % 1
      flashes.push({ atMs: performance.timeOrigin + performance.now(), lateMs: phase * 1000 })
    }
    picture.context.fillStyle = lit ? 'white' : 'black'
    picture.context.fillRect(0, 0, WIDTH, HEIGHT)
    return lit !== before
  })
  return new MediaStream([picture.track, ...output.stream.getTracks()])
}

let markShown = false
let markPainted: ((atMs: number) => void) | null = null

/** A dark picture with a moving dot. The whole picture is white while the mark is shown. No sound. */
function mark(): MediaStream {
  const picture = drawing()
  const { context } = picture
  const audio = new AudioContext()
  const output = audio.createMediaStreamDestination()
  let step = 0
  onEachFrame(picture, () => {
    step++
    context.fillStyle = markShown ? 'white' : 'rgb(24, 24, 24)'
    context.fillRect(0, 0, WIDTH, HEIGHT)
    context.fillStyle = 'rgb(90, 90, 90)'
    context.fillRect((step * 8) % WIDTH, HEIGHT - 20, 20, 20)
    const changed = markPainted !== null
    markPainted?.(performance.timeOrigin + performance.now())
    markPainted = null
    return changed
  })
  return new MediaStream([picture.track, ...output.stream.getTracks()])
}

/** A canvas with four times the area of a picture, filled with patches of random colours. */
function manyColours(): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH * 2
  canvas.height = HEIGHT * 2
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('no 2d canvas to draw on')
  for (let y = 0; y < canvas.height; y += 12) {
    for (let x = 0; x < canvas.width; x += 12) {
      context.fillStyle = `hsl(${Math.random() * 360} 80% 50%)`
      context.fillRect(x, y, 12, 12)
    }
  }
  return canvas
}

/**
 * A picture full of motion. An encoder spends all the bits that it may on it. No sound. The picture jumps ten times a
 * second: that is enough to load the encoder, and leaves the processor free for the measurement.
 */
function lively(): MediaStream {
  const picture = drawing()
  const colours = manyColours()
  const output = new AudioContext().createMediaStreamDestination()
  let jumpedAtMs = -Infinity
  onEachFrame(picture, () => {
    const now = performance.now()
    if (now - jumpedAtMs < LIVELY_INTERVAL_MS) return false
    jumpedAtMs = now
    picture.context.drawImage(colours, -Math.random() * WIDTH, -Math.random() * HEIGHT)
    return true
  })
  return new MediaStream([picture.track, ...output.stream.getTracks()])
}

const DRAWN = { mark, lively, 'flash-and-beep': flashAndBeep }

/**
 * Shows or hides the mark of the `mark` source.
 * @returns when it was painted: Unix epoch, milliseconds
 */
export function showMark(shown: boolean): Promise<number> {
  markShown = shown
  return new Promise((resolve) => {
    markPainted = resolve
  })
}

/** A screen share without a permission dialogue. */
function shareScreen(): MediaStream {
  const picture = drawing(SCREEN_WIDTH, SCREEN_HEIGHT)
  onEachFrame(picture, () => {
    drawScreen(picture.context)
    return false
  })
  return new MediaStream([picture.track])
}

/** Sets what `getUserMedia` returns from now on, and prepares a drawn screen for sharing. */
export function useSource(kind: SourceKind): void {
  navigator.mediaDevices.getDisplayMedia = async () => shareScreen()
  if (kind === 'devices') {
    navigator.mediaDevices.getUserMedia = (constraints) => capture(unprocessed(constraints))
    return
  }
  const drawn = DRAWN[kind]()
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    const tracks = [
      ...(constraints?.audio ? drawn.getAudioTracks() : []),
      ...(constraints?.video ? drawn.getVideoTracks() : []),
    ]
    return new MediaStream(tracks.map((track) => track.clone()))
  }
}

/**
 * Records what the page captures with the browser's own recorder. This measures how well a drawn source itself is in
 * sync.
 * @returns a WebM file, base64
 */
export async function recordLocally(durationMs: number): Promise<string> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: true })
  const recorder = new MediaRecorder(stream, { mimeType: 'video/webm;codecs=vp8,pcm' })
  const parts: Blob[] = []
  recorder.ondataavailable = ({ data }) => parts.push(data)
  const stopped = new Promise((resolve) => {
    recorder.onstop = resolve
  })
  recorder.start()
  setTimeout(() => recorder.stop(), durationMs)
  await stopped
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}
