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

/**
 * Plays the remote video track. A later track replaces it. The video is no part of the page, because painting it takes
 * a quarter of a browser's processor time.
 */
export function showPicture(track: MediaStreamTrack): void {
  video.srcObject = new MediaStream([track])
  void video.play()
}

/** Puts the picture on the page, for a screenshot. */
export function putPictureOnPage(): void {
  document.body.append(video)
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
  /** Mean absolute difference to the frame before in the watched region, 0 to 255, in luma or chroma. */
  change: number
  /** Mean brightness of the watched region: luma as it is transmitted, 16 (black) to 235 (white). */
  brightness: number
}

/** Frames seen by the running watch. */
const watched: PresentedFrame[] = []
let watchGeneration = 0
/** Resolves when the pixels of every frame seen so far have been read. */
let pixelsRead = Promise.resolve()

/** Records every presented frame from now on. Only one watch runs at a time: a new watch ends the previous one. */
function watch(look: (frame: PresentedFrame) => void): void {
  const generation = ++watchGeneration
  watched.length = 0
  const onFrame = (_now: number, metadata: VideoFrameCallbackMetadata) => {
    if (generation !== watchGeneration) return
    video.requestVideoFrameCallback(onFrame)
    const frame = { atMs: performance.timeOrigin + metadata.presentationTime, change: 0, brightness: 0 }
    watched.push(frame)
    look(frame)
  }
  video.requestVideoFrameCallback(onFrame)
}

/** Records when every frame is presented from now on, but not its content: `change` and `brightness` stay 0. */
export function watchPace(): void {
  watch(() => {})
}

const CELLS_ACROSS = 32
const CELLS_DOWN = 18

/** Even numbers of pixels, because the chroma planes have half the size. */
const even = (pixels: number) => Math.round(pixels / 2) * 2

/** Adds up the values of each cell of a plane, as parts of the cell's mean. */
function meansOfCells(
  bytes: Uint8Array,
  { offset, stride }: PlaneLayout,
  width: number,
  height: number,
): Float32Array {
  const cells = new Float32Array(CELLS_ACROSS * CELLS_DOWN)
  const bytesPerCell = (width / CELLS_ACROSS) * (height / CELLS_DOWN)
  for (let row = 0; row < height; row++) {
    const firstCell = Math.floor((row * CELLS_DOWN) / height) * CELLS_ACROSS
    const firstByte = offset + row * stride
    for (let column = 0; column < width; column++) {
      const cell = firstCell + Math.floor((column * CELLS_ACROSS) / width)
      cells[cell] = (cells[cell] ?? 0) + (bytes[firstByte + column] ?? 0) / bytesPerCell
    }
  }
  return cells
}

/** Mean values of each cell of a region: luma, and the two chroma values. */
type Cells = readonly [Float32Array, Float32Array, Float32Array]

/**
 * Reads the cells of the region. It copies only the region's own pixels, as they were decoded: drawing every frame to a
 * canvas takes more processor time than decoding it.
 */
async function cellsOf(picture: VideoFrame, region: Region): Promise<Cells> {
  const { codedWidth, codedHeight, format } = picture
  const x = even((region.x / 100) * codedWidth)
  const y = even((region.y / 100) * codedHeight)
  const width = Math.min(even((region.width / 100) * codedWidth), codedWidth - x)
  const height = Math.min(even((region.height / 100) * codedHeight), codedHeight - y)
  const rect = { x, y, width, height }
  const bytes = new Uint8Array(picture.allocationSize({ rect }))
  const [luma, blue, red] = await picture.copyTo(bytes, { rect })
  if (format !== 'I420' || !luma || !blue || !red) throw new Error(`a picture of the format ${format}`)
  const chroma = (plane: PlaneLayout) => meansOfCells(bytes, plane, width / 2, height / 2)
  return [meansOfCells(bytes, luma, width, height), chroma(blue), chroma(red)]
}

const mean = (values: Float32Array) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Mean absolute difference of the cells, in luma or chroma: whatever changed more. */
function difference(now: Cells, before: Cells): number {
  const ofPlane = (plane: Float32Array, index: number) =>
    mean(plane.map((value, cell) => Math.abs(value - (before[index]?.[cell] ?? 0))))
  return Math.max(...now.map(ofPlane))
}

/** Records every presented frame from now on, with the change and brightness in `region`. */
export function watchRegion(region: Region): void {
  let before: Cells | null = null
  watch((frame) => {
    const picture = new VideoFrame(video)
    const read = async () => {
      const cells = await cellsOf(picture, region).finally(() => picture.close())
      frame.change = before === null ? 0 : difference(cells, before)
      frame.brightness = mean(cells[0])
      before = cells
    }
    pixelsRead = pixelsRead.then(read)
  })
}

/** Ends the watch and returns what it saw. Rejects if the pixels of a frame could not be read. */
export async function stopWatching(): Promise<PresentedFrame[]> {
  watchGeneration++
  await pixelsRead
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
