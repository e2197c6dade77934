import { cpus } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How a media worker got along in the last second. */
export interface Strain {
  /** Share of the pictures for which there was no time, 0 to 1. */
  picturesLeftOut: number
  /** Delay of the loop that handles packets and sound, the second longest of the samples of a second. */
  loopDelayMs: number
  /** Processor time of the machine that nobody used, in cores. */
  spareCpu: number
}

/** The loop wakes up for each sample, in every worker and whether or not there is a room. */
const RESOLUTION_MS = 20
/** One late turn in a second, such as for collecting garbage, does not count. */
const PERCENTILE = 98

/** Measures the {@link Strain} of this process. */
export class StrainMeter {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  #idleMs = idleMs()
  #atMs = performance.now()

  constructor() {
    this.#delay.enable()
  }

  /** @returns of the time since the last call; the longest delay too, as `longestDelayMs` */
  take(pictures: { made: number; leftOut: number }): Strain & { longestDelayMs: number } {
    const [nowMs, idle] = [performance.now(), idleMs()]
    const strain = {
      picturesLeftOut: pictures.leftOut / Math.max(1, pictures.made + pictures.leftOut),
      loopDelayMs: beyondResolution(this.#delay.percentile(PERCENTILE)),
      longestDelayMs: beyondResolution(this.#delay.max),
      spareCpu: (idle - this.#idleMs) / (nowMs - this.#atMs),
    }
    this.#delay.reset()
    this.#idleMs = idle
    this.#atMs = nowMs
    return strain
  }
}

/** The histogram has the distance of two turns of a timer. */
function beyondResolution(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
}

/** Of all cores since the machine started. */
function idleMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0)
}
