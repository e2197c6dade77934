import { QUALITY_INTERVAL_MS } from '../../media/channel.ts'
import { QUALITY_FIGURES, type QualityFigure } from '../../resources/member-quality.ts'

/** Most intervals of a member. Then two become one: an hour has 10 s each, a day four minutes. */
export const MOST_INTERVALS = 360

/** One value for each interval; null where nothing was measured. */
export type QualitySeries = Record<QualityFigure, (number | null)[]>

/** The figures of one member over time, of bounded size. */
export class QualityLog {
  /** Unix milliseconds. */
  readonly startedAt: number
  #intervalMs = QUALITY_INTERVAL_MS
  #series = seriesOf(() => [])
  /** Values that were put into the newest interval. */
  #inNewest = 0

  /** @param startedAt Unix milliseconds */
  constructor(startedAt: number) {
    this.startedAt = startedAt
  }

  get intervalMs(): number {
    return this.#intervalMs
  }

  get series(): Readonly<QualitySeries> {
    return this.#series
  }

  /**
   * Takes what was measured in the time before `at`. Several values of an interval become their mean.
   * @param at Unix milliseconds; a moment before the newest interval counts to that
   */
  add(at: number, values: Readonly<Record<QualityFigure, number | null>>): void {
    let slot = this.#slotOf(at)
    while (slot >= MOST_INTERVALS) {
      this.#thin()
      slot = this.#slotOf(at)
    }
    const newest = this.#series.talking.length - 1
    if (slot > newest) this.#inNewest = 0
    for (const figure of QUALITY_FIGURES) {
      const series = this.#series[figure]
      while (series.length <= slot) series.push(null)
      const at = series.length - 1
      series[at] = meanWith(series[at] ?? null, this.#inNewest, values[figure])
    }
    this.#inNewest++
  }

  #slotOf(at: number): number {
    // Rounded, because reports come some milliseconds early or late.
    return Math.max(0, Math.round((at - this.startedAt) / this.#intervalMs) - 1)
  }

  #thin(): void {
    this.#intervalMs *= 2
    const before = this.#series
    this.#series = seriesOf((figure) => pairs(before[figure]))
    this.#inNewest = 1
  }
}

const seriesOf = (make: (figure: QualityFigure) => (number | null)[]): QualitySeries =>
  Object.fromEntries(QUALITY_FIGURES.map((figure) => [figure, make(figure)])) as QualitySeries

/** @param count how many values the mean has so far */
function meanWith(mean: number | null, count: number, value: number | null): number | null {
  if (value === null) return mean
  return mean === null ? value : (mean * count + value) / (count + 1)
}

const pairs = (values: readonly (number | null)[]): (number | null)[] =>
  Array.from({ length: Math.ceil(values.length / 2) }, (_, index) =>
    meanWith(values[2 * index] ?? null, 1, values[2 * index + 1] ?? null),
  )
