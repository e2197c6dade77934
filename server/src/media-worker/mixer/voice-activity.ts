const HOLD_TICKS = 15
/** A click is shorter than this. */
const ATTACK_TICKS = 2

/**
 * The level that counts as talking, for an `input_sensitivity` of 0 to 100: from -20 dBFS (only loud speech) to -60 dBFS
 * (anything that can be heard at all). The client's usual value, 44, gives -37.6 dBFS.
 */
export function talkingThresholdDb(inputSensitivity: number): number {
  return -20 - 0.4 * Math.min(100, Math.max(0, inputSensitivity))
}

/** Whether one member talks: from 40 ms above its threshold on, until 300 ms after it was last above. */
export class VoiceActivity {
  #above = 0
  #hold = 0

  get talking(): boolean {
    return this.#hold > 0
  }

  /** One tick of 20 ms. @returns whether `talking` has changed */
  update(levelDb: number, inputSensitivity: number): boolean {
    const before = this.talking
    this.#above = levelDb >= talkingThresholdDb(inputSensitivity) ? this.#above + 1 : 0
    if (this.#above >= ATTACK_TICKS) this.#hold = HOLD_TICKS
    else if (this.#hold > 0) this.#hold--
    return this.talking !== before
  }

  /** Muted: ends at once. @returns whether `talking` has changed */
  reset(): boolean {
    const before = this.talking
    this.#above = 0
    this.#hold = 0
    return before
  }
}
