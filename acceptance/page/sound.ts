/**
 * Measures which tones the remote audio track carries.
 */

let analyser: AnalyserNode | null = null

/** Listens to the remote audio track; a later one takes its place. */
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

/** The loudness of some tones against everything else. */
export interface Spectrum {
  /** dBFS of the strongest bin within 6 Hz of each asked frequency. */
  tones: number[]
  /** Median of all bins between 200 Hz and 4 kHz, dBFS: the floor that a tone stands out of. */
  floor: number
}

/**
 * Looks at the last 0.7 s of what was heard.
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
