/** A loudspeaker that a test plays through. */
interface TestSpeaker {
  context: AudioContext
  /** What is connected to it is heard. */
  output: AudioNode
  close(): void
}

/**
 * Opens a loudspeaker.
 * @param speakerId null for the browser's default
 * @throws DOMException if it cannot be used
 */
async function openSpeaker(speakerId: string | null): Promise<TestSpeaker> {
  const context = new AudioContext()
  const output = context.createMediaStreamDestination()
  const element = new Audio()
  element.srcObject = output.stream
  if (speakerId !== null && 'setSinkId' in element) await element.setSinkId(speakerId)
  await element.play()
  return {
    context,
    output,
    close: () => {
      element.srcObject = null
      void context.close()
    },
  }
}

/** Frequencies in Hz, one after the other: a chord is easier to hear than one tone. */
const TONES = [523, 659, 784]
const TONE_SECONDS = 0.45

/** Plays three soft tones. @throws DOMException */
export async function playTestTones(speakerId: string | null): Promise<void> {
  const { context, output, close } = await openSpeaker(speakerId)
  try {
    await Promise.all(
      TONES.map((hertz, index) => {
        const startsAt = context.currentTime + index * TONE_SECONDS
        const tone = new OscillatorNode(context, { frequency: hertz })
        const loudness = new GainNode(context, { gain: 0 })
        loudness.gain.setValueAtTime(0, startsAt)
        loudness.gain.linearRampToValueAtTime(0.25, startsAt + 0.04)
        loudness.gain.linearRampToValueAtTime(0, startsAt + TONE_SECONDS)
        tone.connect(loudness).connect(output)
        tone.start(startsAt)
        tone.stop(startsAt + TONE_SECONDS)
        return new Promise((resolve) => tone.addEventListener('ended', resolve))
      }),
    )
  } finally {
    close()
  }
}

/** Plays a recording. @throws DOMException */
export async function playBack(recording: Blob, speakerId: string | null): Promise<void> {
  const { context, output, close } = await openSpeaker(speakerId)
  try {
    const buffer = await context.decodeAudioData(await recording.arrayBuffer())
    const source = new AudioBufferSourceNode(context, { buffer })
    source.connect(output)
    source.start()
    await new Promise((resolve) => source.addEventListener('ended', resolve))
  } finally {
    close()
  }
}

/** Records for a while. */
export function record(stream: MediaStream, durationMs: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const parts: Blob[] = []
    const recorder = new MediaRecorder(stream)
    recorder.addEventListener('dataavailable', ({ data }) => parts.push(data))
    recorder.addEventListener('stop', () => resolve(new Blob(parts, { type: recorder.mimeType })))
    recorder.addEventListener('error', () => reject(new DOMException('The recording failed.')))
    recorder.start()
    setTimeout(() => recorder.stop(), durationMs)
  })
}
