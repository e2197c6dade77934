/**
 * Encoders are made for these losses only, in percent, so that listeners can share them. Up to 5 %, libopus adds no
 * redundancy at our bitrate, because it would need a narrower band for it.
 */
const CLASSES = [0, 6, 12, 25] as const
/** Reports in a row that must be lower before redundancy is reduced. */
const CALM_REPORTS = 5

/**
 * The loss that a listener's packets should survive, from its reports. It rises at once and falls late: each change means
 * another encoder, which the listener can hear for a moment.
 */
export class ExpectedLoss {
  #percent: number = CLASSES[0]
  #calmReports = 0

  /** One of 0, 6, 12 and 25. */
  get percent(): number {
    return this.#percent
  }

  /** @param percent 0 to 100, as reported */
  report(percent: number): void {
    const wanted = classOf(percent)
    this.#calmReports = wanted < this.#percent ? this.#calmReports + 1 : 0
    if (wanted < this.#percent && this.#calmReports < CALM_REPORTS) return
    this.#calmReports = 0
    this.#percent = wanted
  }
}

function classOf(percent: number): number {
  if (percent < 1) return CLASSES[0]
  if (percent < 7) return CLASSES[1]
  return percent < 18 ? CLASSES[2] : CLASSES[3]
}
