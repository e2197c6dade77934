import { assetsPath } from 'virtual:blur-assets'
import { GaussianBlurBackgroundProcessor } from '@twilio/video-processors'
import { within } from '../../room/within.ts'

/** Radius of the blur, as a part of the picture's height. */
const RADIUS = 1 / 36
/** The download has some 3 MB. */
const LOAD_MS = 30_000
/** A worker that takes longer for a frame hangs. */
const FRAME_MS = 10_000

/** All tracks of the page share it, and its worker. */
let loading: Promise<GaussianBlurBackgroundProcessor> | undefined
/** The processor draws here. */
const canvas = document.createElement('canvas')
/** The picture with whole edges. */
const finished = document.createElement('canvas')
/** Each frame waits for the one before: the processor has one canvas. */
let last: Promise<unknown> = Promise.resolve()

/** Loads what finds the person in a picture. @throws if that fails; the next call tries again */
export function loadBlur(): Promise<GaussianBlurBackgroundProcessor> {
  loading ??= within(LOAD_MS, load()).catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<GaussianBlurBackgroundProcessor> {
  // This context takes the finished picture over without a copy.
  canvas.getContext('bitmaprenderer')
  const processor = new GaussianBlurBackgroundProcessor({ assetsPath, blurFilterRadius: radiusFor(720) })
  await processor.loadModel()
  return processor
}

/**
 * Blurs the background of a frame. A frame object is closed by it.
 * @param use takes the blurred picture at once: the next frame is drawn over it
 */
export async function withBlurredBackground<Result>(
  frame: VideoFrame | HTMLVideoElement,
  use: (blurred: HTMLCanvasElement) => Result,
): Promise<Result> {
  const processor = await loadBlur()
  const drawn = last.then(async () => {
    fit(frame, processor)
    await within(FRAME_MS, processor.processFrame(frame, canvas))
    finish()
    return use(finished)
  })
  last = drawn.catch(() => {})
  return drawn
}

const radiusFor = (height: number): number => Math.max(1, Math.round(height * RADIUS))

function fit(frame: VideoFrame | HTMLVideoElement, processor: GaussianBlurBackgroundProcessor): void {
  const [width, height] =
    frame instanceof HTMLVideoElement
      ? [frame.videoWidth, frame.videoHeight]
      : [frame.displayWidth, frame.displayHeight]
  if (canvas.width === width && canvas.height === height) return
  for (const one of [canvas, finished]) Object.assign(one, { width, height })
  processor.blurFilterRadius = radiusFor(height)
}

/** The blur makes the edges of a picture transparent, because there is nothing beyond. Its own colours go below them. */
function finish(): void {
  const { width, height } = canvas
  const context = finished.getContext('2d')
  if (!context) throw new Error('The browser draws nothing.')
  const beyond = 3 * radiusFor(height)
  context.globalCompositeOperation = 'copy'
  context.drawImage(canvas, 0, 0)
  context.globalCompositeOperation = 'destination-over'
  context.drawImage(canvas, -beyond, -beyond, width + 2 * beyond, height + 2 * beyond)
}
