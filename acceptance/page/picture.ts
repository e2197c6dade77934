/** Reads the composed picture from the remote video track: colours at given places, and the times when they changed. */

/** A rectangle of the picture in percent of its width and height, as in `layout.changed`. */
export interface Region {
  x: number
  y: number
  width: number
  height: number
}

/** Red, green and blue, 0 to 255. */
export type Rgb = [red: number, green: number, blue: number]

const video = document.createElement('video')
video.muted = true
video.playsInline = true
video.id = 'composed'

/** Shows the remote video track in the page. A later track replaces it. */
export function showPicture(track: MediaStreamTrack): void {
  if (!video.isConnected) document.body.append(video)
  video.srcObject = new MediaStream([track])
  void video.play()
}

function surface(width: number, height: number): CanvasRenderingContext2D {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context === null) throw new Error('no 2d canvas')
  return context
}

const sampler = surface(16, 16)
sampler.imageSmoothingEnabled = true

function drawRegion(context: CanvasRenderingContext2D, region: Region): Uint8ClampedArray {
  const { width, height } = context.canvas
  context.drawImage(
    video,
    (region.x / 100) * video.videoWidth,
    (region.y / 100) * video.videoHeight,
    (region.width / 100) * video.videoWidth,
    (region.height / 100) * video.videoHeight,
    0,
    0,
    width,
    height,
  )
  return context.getImageData(0, 0, width, height).data
}

function median(values: number[]): number {
  values.sort((a, b) => a - b)
  return values[Math.floor(values.length / 2)] ?? 0
}

/**
 * The colour of each region: the median of each channel over the region, so that a small mark in it does not count.
 * Null before the first frame.
 */
export function coloursAt(regions: readonly Region[]): Rgb[] | null {
  if (video.videoWidth === 0) return null
  return regions.map((region) => {
    const pixels = drawRegion(sampler, region)
    const channel = (offset: number) =>
      median(Array.from({ length: pixels.length / 4 }, (_, i) => pixels[i * 4 + offset] ?? 0))
    return [channel(0), channel(1), channel(2)]
  })
}

/** Size of the composed picture in pixels; zeros before the first frame. */
export function pictureSize(): { width: number; height: number } {
  return { width: video.videoWidth, height: video.videoHeight }
}

/** One presented frame. */
export interface PresentedFrame {
  /** When it was handed to the compositor: Unix epoch, milliseconds, with fractions. */
  atMs: number
  /** Mean absolute difference to the frame before in the watched region, 0 to 255. */
  change: number
  /** Mean brightness of the watched region, 0 to 255. */
  brightness: number
}

/** Frames seen by the running watch. */
const watched: PresentedFrame[] = []
let watchGeneration = 0

/** What one frame looks like in the watched region. */
type Look = Omit<PresentedFrame, 'atMs'>

/** Records every presented frame from now on. Only one watch runs at a time: a new watch ends the previous one. */
function watch(look: () => Look): void {
  const generation = ++watchGeneration
  watched.length = 0
  const onFrame = (_now: number, metadata: VideoFrameCallbackMetadata) => {
    if (generation !== watchGeneration) return
    video.requestVideoFrameCallback(onFrame)
    watched.push({ atMs: performance.timeOrigin + metadata.presentationTime, ...look() })
  }
  video.requestVideoFrameCallback(onFrame)
}

/**
 * Records when every frame is presented from now on, but not its content: `change` and `brightness` stay 0. Reading the
 * pixels of every frame costs a third of a processor.
 */
export function watchPace(): void {
  watch(() => ({ change: 0, brightness: 0 }))
}

/** Records every presented frame from now on, with the change and brightness in `region`. */
export function watchRegion(region: Region): void {
  const canvas = surface(32, 18)
  let before: Uint8ClampedArray | null = null
  watch(() => {
    const pixels = drawRegion(canvas, region)
    let change = 0
    let brightness = 0
    for (let i = 0; i < pixels.length; i += 4) {
      const level = ((pixels[i] ?? 0) + (pixels[i + 1] ?? 0) + (pixels[i + 2] ?? 0)) / 3
      brightness += level
      if (before !== null) {
        const old = ((before[i] ?? 0) + (before[i + 1] ?? 0) + (before[i + 2] ?? 0)) / 3
        change += Math.abs(level - old)
      }
    }
    before = pixels
    const count = pixels.length / 4
    return { change: change / count, brightness: brightness / count }
  })
}

/** Ends the watch and returns what it saw. */
export function stopWatching(): PresentedFrame[] {
  watchGeneration++
  return watched.splice(0)
}

/** Waits for the first remote frame. Resolves with the Unix time in milliseconds at which it was presented. */
export function firstFramePresented(): Promise<number> {
  return new Promise((resolve) => {
    video.requestVideoFrameCallback((_now, metadata) =>
      resolve(performance.timeOrigin + metadata.presentationTime),
    )
  })
}
