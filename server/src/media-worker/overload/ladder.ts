import { OVERLOAD_STEPS, type OverloadStep } from '../../resources/overload-steps.ts'
import type { Strain } from './strain.ts'

/** More pictures than this are left out, or packets wait longer: the machine has too much to do. */
const OVERLOADED = { leftOut: 0.05, delayMs: 25 }
/** Only below all of these, and with this much processor time to spare, is a step undone. */
const CALM = { leftOut: 0.01, delayMs: 12, spareCpu: 0.3 }
/** Reports of a second in a row that lead to the next step. A moment such as the start of a room passes by itself. */
const REPORTS_TO_STEP_UP = 3
/** Reports in a row that undo a step. */
const REPORTS_TO_STEP_DOWN = 10
/** Where what was undone had to be done again soon, the next try waits twice as long, up to this. */
const MOST_REPORTS_TO_STEP_DOWN = 300
/** Within so many reports after a step was undone, the machine shows whether that was too early. */
const REPORTS_OF_PROOF = 30

/**
 * What a media worker gives up while its machine has too much to do, in the fixed order of {@link OVERLOAD_STEPS}. A step is
 * taken after some seconds of strain and undone, in reverse order, after a longer calm. Sound is never given up.
 */
export class OverloadLadder {
  #level = 0
  #strained = 0
  #calm = 0
  #reportsToStepDown = REPORTS_TO_STEP_DOWN
  #sinceStepDown = Number.POSITIVE_INFINITY
  readonly #highest: number

  /** @param highest the last step that may be taken */
  constructor(highest: OverloadStep = 'no-audience') {
    this.#highest = OVERLOAD_STEPS.indexOf(highest)
  }

  get step(): OverloadStep {
    return OVERLOAD_STEPS[this.#level]!
  }

  /** Takes the report of a second. @returns whether the step has changed, by one */
  report(strain: Strain): boolean {
    this.#sinceStepDown++
    if (this.#sinceStepDown === REPORTS_OF_PROOF) this.#reportsToStepDown = REPORTS_TO_STEP_DOWN
    this.#strained = isOverloaded(strain) ? this.#strained + 1 : 0
    this.#calm = isCalm(strain) ? this.#calm + 1 : 0
    if (this.#strained >= REPORTS_TO_STEP_UP) return this.#stepUp()
    return this.#calm >= this.#reportsToStepDown && this.#stepDown()
  }

  #stepUp(): boolean {
    this.#strained = 0
    if (this.#sinceStepDown < REPORTS_OF_PROOF)
      this.#reportsToStepDown = Math.min(2 * this.#reportsToStepDown, MOST_REPORTS_TO_STEP_DOWN)
    this.#sinceStepDown = Number.POSITIVE_INFINITY
    return this.#move(1)
  }

  #stepDown(): boolean {
    this.#calm = 0
    if (this.#level > 0) this.#sinceStepDown = 0
    return this.#move(-1)
  }

  #move(by: 1 | -1): boolean {
    const level = Math.min(this.#highest, Math.max(0, this.#level + by))
    if (level === this.#level) return false
    this.#level = level
    return true
  }
}

function isOverloaded({ picturesLeftOut, loopDelayMs }: Strain): boolean {
  return picturesLeftOut > OVERLOADED.leftOut || loopDelayMs > OVERLOADED.delayMs
}

function isCalm({ picturesLeftOut, loopDelayMs, spareCpu }: Strain): boolean {
  return picturesLeftOut < CALM.leftOut && loopDelayMs < CALM.delayMs && spareCpu > CALM.spareCpu
}
