import type { BlurFilter, FilteredTrack } from './blur-filter.ts'

/** Rate of the made track in frames per second, if the camera does not say its own. */
const USUAL_RATE = 30

/**
 * Filters what a hidden video element shows of a camera, for browsers that give no frames to the page.
 * @throws DOMException if the element does not play
 */
export async function picturesOf(source: MediaStreamTrack, filter: BlurFilter): Promise<FilteredTrack> {
  const rate = source.getSettings().frameRate || USUAL_RATE
  const video = document.createElement('video')
  video.muted = true
  video.playsInline = true
  video.srcObject = new MediaStream([source])
  await video.play()
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  const [track] = canvas.captureStream(rate).getVideoTracks()
  if (!context || !track) throw new Error('The browser draws nothing.')
  const show = (picture: CanvasImageSource) => {
    if (canvas.width !== video.videoWidth) canvas.width = video.videoWidth
    if (canvas.height !== video.videoHeight) canvas.height = video.videoHeight
    context.drawImage(picture, 0, 0)
  }
  // A page that nobody sees has no animation frames, and its timers are late. Those of a worker are not.
  const clock = new Worker(new URL('./clock.ts', import.meta.url), { type: 'module' })
  let isBusy = false
  clock.addEventListener('message', async () => {
    if (isBusy || video.videoWidth === 0) return
    isBusy = true
    try {
      if (filter.isOn()) await filter.blur(video, show)
      else show(video)
    } catch {
      filter.failed()
    }
    isBusy = false
  })
  clock.postMessage(1000 / rate)
  const stop = () => {
    clock.terminate()
    video.srcObject = null
  }
  return { track, stop }
}
