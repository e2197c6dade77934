/** -1 dBFS: the highest level of a mix. */
const CEILING = 0.89
/** Above this the curve bends, so that nothing reaches 1 even before the gain has come down. */
const KNEE = 0.9
const ATTACK_SAMPLES = 48
/** Share of the way back to unity per tick: about half a second. */
const RELEASE = 0.05

/**
 * Keeps a mix below full scale without wrapping or hard clipping: the gain comes down within a millisecond of a peak and
 * goes back slowly. Sound below the ceiling passes unchanged.
 */
export class Limiter {
  #gain = 1

  /** In place. */
  process(pcm: Float32Array): void {
    const wanted = Math.min(1, CEILING / peakOf(pcm))
    if (wanted === 1 && this.#gain > 0.999) {
      this.#gain = 1
      return
    }
    const attack = wanted < this.#gain
    const target = attack ? wanted : this.#gain + (wanted - this.#gain) * RELEASE
    this.#ramp(pcm, target, attack ? Math.min(ATTACK_SAMPLES, pcm.length) : pcm.length)
    this.#gain = target
  }

  #ramp(pcm: Float32Array, target: number, samples: number): void {
    let gain = this.#gain
    const step = (target - gain) / samples
    for (let index = 0; index < pcm.length; index++) {
      if (index < samples) gain += step
      pcm[index] = bend(pcm[index]! * gain)
    }
  }
}

function bend(sample: number): number {
  const size = Math.abs(sample)
  if (size <= KNEE) return sample
  return Math.sign(sample) * (KNEE + (1 - KNEE) * Math.tanh((size - KNEE) / (1 - KNEE)))
}

function peakOf(pcm: Float32Array): number {
  let peak = 0
  for (let index = 0; index < pcm.length; index++) {
    const size = Math.abs(pcm[index]!)
    if (size > peak) peak = size
  }
  return peak
}
