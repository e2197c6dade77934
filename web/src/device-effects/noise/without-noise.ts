import { loadRnnoise, RnnoiseWorkletNode } from '@sapphi-red/web-noise-suppressor'
import wasmUrl from '@sapphi-red/web-noise-suppressor/rnnoise.wasm?url'
import simdUrl from '@sapphi-red/web-noise-suppressor/rnnoise_simd.wasm?url'
import workletUrl from '@sapphi-red/web-noise-suppressor/rnnoiseWorklet.js?url'
import { asDevice } from '../processed-track.ts'
import { closeWhenUnused, soundContext } from './sound-context.ts'

/** RNNoise is trained for this rate, in Hz. */
const SAMPLE_RATE = 48_000
/** The sound fades in over this time, so that no click is heard. */
const FADE_SECONDS = 0.03

let binary: Promise<ArrayBuffer> | undefined

/**
 * Makes a track without the noise of a microphone. It owns the given track from then on.
 * @throws if the browser cannot do it, or the code cannot be loaded
 */
export async function withoutNoise(source: MediaStreamTrack): Promise<MediaStreamTrack> {
  const wasmBinary = await loadBinary()
  const context = await soundContext(SAMPLE_RATE, workletUrl)
  try {
    const heard = context.createMediaStreamSource(new MediaStream([source]))
    const suppressor = new RnnoiseWorkletNode(context, { maxChannels: 1, wasmBinary })
    // Microphones with two channels are mixed: RNNoise hears one.
    suppressor.channelCount = 1
    suppressor.channelCountMode = 'explicit'
    const fade = new GainNode(context, { gain: 0 })
    fade.gain.setValueAtTime(0, context.currentTime)
    fade.gain.linearRampToValueAtTime(1, context.currentTime + FADE_SECONDS)
    const output = new MediaStreamAudioDestinationNode(context, { channelCount: 1 })
    heard.connect(suppressor).connect(fade).connect(output)
    const [made] = output.stream.getAudioTracks()
    if (!made) throw new Error('The browser made no track.')
    return asDevice(made, source, () => {
      heard.disconnect()
      fade.disconnect()
      suppressor.destroy()
      closeWhenUnused(context)
    })
  } catch (error) {
    closeWhenUnused(context)
    throw error
  }
}

/** A download that failed is tried again at the next time. */
function loadBinary(): Promise<ArrayBuffer> {
  binary ??= loadRnnoise({ url: wasmUrl, simdUrl }).catch((error: unknown) => {
    binary = undefined
    throw error
  })
  return binary
}
