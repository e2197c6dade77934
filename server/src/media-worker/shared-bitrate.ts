/** Of what a network carries, left for sound, headers and retransmissions. */
const SHARE = 0.85
const BESIDE_PICTURE_BPS = 60_000
/** Below, a picture is not worth the name: networks that carry less get it late, or miss pictures. */
const LEAST_BPS = 120_000
/** Smaller changes are not worth one: VP8 begins with a keyframe after each. */
const DOWN_FROM = 0.9
const UP_FROM = 1.15
const UP_AFTER_MS = 5000

/** The bitrate of an encode that several browsers get, so that it suits the slowest network of theirs. */
export class SharedBitrate {
  bps: number
  readonly #mostBps: number
  #changedAtMs = 0

  /** @param mostBps where all networks carry it */
  constructor(mostBps: number) {
    this.#mostBps = this.bps = mostBps
  }

  /** @param slowestBps what the slowest network carries. @returns whether {@link bps} has changed */
  update(slowestBps: number, nowMs: number): boolean {
    const wanted = Math.min(
      this.#mostBps,
      Math.max(LEAST_BPS, Math.round(slowestBps * SHARE - BESIDE_PICTURE_BPS)),
    )
    const isDown = wanted < this.bps * DOWN_FROM
    const isUp = wanted > this.bps * UP_FROM || (wanted === this.#mostBps && wanted > this.bps)
    if (!isDown && !(isUp && nowMs - this.#changedAtMs >= UP_AFTER_MS)) return false
    this.bps = wanted
    this.#changedAtMs = nowMs
    return true
  }
}
