import { nextDetector, silentDetector } from './speech-detector.ts'

const EVERY_MS = 100
/** How long the hint is shown. */
const SHOWN_MS = 6000

/**
 * Listens to the own microphone while it is muted, on this device alone, to tell the person who speaks then. The store
 * says whether the hint is shown. Microphones that were never on are not listened to.
 */
export class MutedSpeech {
  #isShown = false
  #stopListening: (() => void) | null = null
  #hiding: ReturnType<typeof setTimeout> | undefined
  readonly #listeners = new Set<() => void>()

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  snapshot = (): boolean => this.#isShown

  /** @param track of the microphone that is being muted. A copy of it goes on, because the call ends the track */
  listen(track: MediaStreamTrack | undefined): void {
    this.stop()
    if (track?.readyState !== 'live') return
    const copy = track.clone()
    copy.enabled = true
    const context = new AudioContext()
    const analyser = context.createAnalyser()
    context.createMediaStreamSource(new MediaStream([copy])).connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    let detector = silentDetector
    const timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples)
      const [next, tells] = nextDetector(detector, levelDb(samples), performance.now())
      detector = next
      if (tells) this.#show()
    }, EVERY_MS)
    this.#stopListening = () => {
      clearInterval(timer)
      copy.stop()
      void context.close()
    }
  }

  stop(): void {
    this.#stopListening?.()
    this.#stopListening = null
    this.#hide()
  }

  #show(): void {
    clearTimeout(this.#hiding)
    this.#hiding = setTimeout(() => this.#hide(), SHOWN_MS)
    this.#set(true)
  }

  #hide(): void {
    clearTimeout(this.#hiding)
    this.#set(false)
  }

  #set(isShown: boolean): void {
    if (isShown === this.#isShown) return
    this.#isShown = isShown
    for (const listener of this.#listeners) listener()
  }
}

function levelDb(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return 10 * Math.log10(sum / samples.length + 1e-12)
}
