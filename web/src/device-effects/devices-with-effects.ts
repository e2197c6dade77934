import { effectChoices, type NoiseSuppression } from './effect-choices.ts'
import { loadEffects } from './load-effects.ts'

/**
 * From now on all cameras and microphones of this page are opened with the chosen effects. The browser client opens
 * devices by itself, for instance when a camera is unmuted, and offers no other place to change what it sends.
 */
export function openDevicesWithEffects(): void {
  const { mediaDevices } = navigator
  // Insecure pages have no devices.
  if (!mediaDevices) return
  const open = mediaDevices.getUserMedia.bind(mediaDevices)
  mediaDevices.getUserMedia = async (constraints) => {
    const { blur, noise } = effectChoices()
    const stream = await open(withNoiseOf(noise, constraints))
    if (!blur && noise !== 'strong') return stream
    try {
      return await (await loadEffects())(stream)
    } catch (error) {
      // Nobody is shown with a background that was to be hidden.
      for (const track of stream.getTracks()) track.stop()
      throw new DOMException(String(error), 'NotReadableError')
    }
  }
}

function withNoiseOf(noise: NoiseSuppression, constraints?: MediaStreamConstraints): MediaStreamConstraints {
  const { audio, ...others } = constraints ?? {}
  if (!audio) return { ...others }
  const noiseSuppression = noise === 'browser'
  return { ...others, audio: { ...(audio === true ? {} : audio), noiseSuppression } }
}
