import { asDevice } from '../processed-track.ts'
import { loadBlur, withBlurredBackground } from './background.ts'
import { BlurProblem } from './blur-problem.ts'
import { canBlur } from './blur-support.ts'
import { canStreamFrames, framesOf } from './frame-stream.ts'
import { initialPace, nextPace } from './pace.ts'
import { picturesOf } from './video-pictures.ts'

/** Cameras that do not say their rate have this one, in frames per second. */
const USUAL_RATE = 30

/**
 * Makes a track with a blurred background of a camera's track. It owns the given track from then on.
 * @param onProblem is called once if the machine turns out to be too slow, or the blur fails. From then on nothing is
 * blurred
 * @throws BlurProblem if the browser cannot do it, or the code cannot be loaded
 */
export async function blurred(
  source: MediaStreamTrack,
  onProblem: (problem: BlurProblem) => void,
): Promise<MediaStreamTrack> {
  if (!canBlur()) throw new BlurProblem('failed')
  await loadBlur()
  const frameMs = 1000 / (source.getSettings().frameRate || USUAL_RATE)
  let pace = initialPace
  let isOn = true
  const end = (kind: BlurProblem['kind']) => {
    if (isOn) onProblem(new BlurProblem(kind))
    isOn = false
  }
  const blur = async <Result>(
    frame: VideoFrame | HTMLVideoElement,
    use: (picture: HTMLCanvasElement) => Result,
  ): Promise<Result> => {
    const startedMs = performance.now()
    const result = await withBlurredBackground(frame, use)
    const nowMs = performance.now()
    const [next, isTooSlow] = nextPace(pace, frameMs, nowMs - startedMs, nowMs)
    pace = next
    if (isTooSlow) end('slow')
    return result
  }
  const filter = { isOn: () => isOn, blur, failed: () => end('failed') }
  const { track, stop } = canStreamFrames() ? framesOf(source, filter) : await picturesOf(source, filter)
  return asDevice(track, source, () => {
    isOn = false
    stop()
  })
}
