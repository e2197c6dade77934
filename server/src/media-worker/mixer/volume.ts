/** Sound below this, after {@link volumeGain}, is too quiet to be noticed and is left out of the mix. */
export const AUDIBLE_DB = -60

const RAISE_DB_PER_STEP = 0.3
const LOWER_DB_PER_STEP = 0.6

/**
 * The factor behind a volume of the client protocol, -50 to 50: 0 leaves the sound as it is, each step up adds 0.3 dB
 * (50 is +15 dB), each step down takes 0.6 dB (-49 is -29.4 dB), and -50 is silence. Beyond the ends counts as the end.
 */
export function volumeGain(volume: number): number {
  if (!(volume > -50)) return 0
  const steps = Math.min(50, volume)
  return 10 ** ((steps * (steps > 0 ? RAISE_DB_PER_STEP : LOWER_DB_PER_STEP)) / 20)
}

/** Level of some samples against full scale; -Infinity for silence. */
export function levelDb(pcm: Float32Array): number {
  let energy = 0
  for (let index = 0; index < pcm.length; index++) energy += pcm[index]! * pcm[index]!
  return 10 * Math.log10(energy / pcm.length)
}
