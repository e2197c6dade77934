/** Measures which tones the remote audio track contains. */

let analyser: AnalyserNode | null = null

/** Listens to the remote audio track. A later track replaces it. */
export function listenTo(track: MediaStreamTrack): void {
  const stream = new MediaStream([track])
  // Chromium decodes remote audio only for a stream that a media element plays.
  const element = new Audio()
  element.srcObject = stream
  element.muted = true
  void element.play()
  const context = new AudioContext()
  const next = context.createAnalyser()
  next.fftSize = 32768
  next.smoothingTimeConstant = 0
  context.createMediaStreamSource(stream).connect(next)
  analyser = next
}

/** The level of some tones compared with everything else. */
export interface Spectrum {
  /** Level of the strongest bin within 6 Hz of each requested frequency, in dBFS. */
  tones: number[]
  /** The noise floor: the median of all bins between 200 Hz and 4 kHz, in dBFS. */
  floor: number
}

/**
 * Analyses the last 0.7 s of the received sound.
 * @param frequencies Hz
 * @returns null before the first remote audio track
 */
export function spectrum(frequencies: readonly number[]): Spectrum | null {
  if (analyser === null) return null
  const bins = new Float32Array(analyser.frequencyBinCount)
  analyser.getFloatFrequencyData(bins)
  const width = analyser.context.sampleRate / analyser.fftSize
  const level = (bin: number) => Math.max(-200, bins[bin] ?? -200)
  const tones = frequencies.map((frequency) => {
    let best = -200
    for (let bin = Math.floor((frequency - 6) / width); bin <= Math.ceil((frequency + 6) / width); bin++) {
      best = Math.max(best, level(bin))
    }
    return best
  })
  const band = Array.from(bins.subarray(Math.floor(200 / width), Math.ceil(4000 / width)), (db) =>
    Math.max(-200, db),
  ).sort((a, b) => a - b)
  return { tones, floor: band[Math.floor(band.length / 2)] ?? -200 }
}
