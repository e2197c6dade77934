/** Label values of one series, by the names of the labels. */
export type Labels = Readonly<Record<string, string>>

/** Series that one figure may have. More would cost the one who collects them memory for good. */
const MOST_SERIES = 2000
/** In place of all labels, once there are too many series. */
const OTHER = 'other'

/** A value for each set of labels, as many as {@link MOST_SERIES}. What comes later counts as one more set, of `other`. */
class Series<T> {
  readonly #entries = new Map<string, { labels: Labels; value: T }>()
  readonly #make: () => T

  constructor(make: () => T) {
    this.#make = make
  }

  of(labels: Labels): T {
    const key = Object.values(labels).join('\n')
    const known = this.#entries.get(key)
    if (known) return known.value
    if (
      this.#entries.size >= MOST_SERIES &&
      key.replaceAll('\n', '') !== OTHER.repeat(Object.keys(labels).length)
    ) {
      return this.of(Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER])))
    }
    const value = this.#make()
    this.#entries.set(key, { labels, value })
    return value
  }

  entries(): Iterable<{ labels: Labels; value: T }> {
    return this.#entries.values()
  }
}

/** Counts what happens, by labels. */
export class Counts<Names extends string> {
  readonly #series = new Series(() => ({ count: 0 }))

  add(labels: Readonly<Record<Names, string>>): void {
    this.of(labels).count++
  }

  /** The count of these labels, shown from now on. Who counts often keeps it. */
  of(labels: Readonly<Record<Names, string>>): { count: number } {
    return this.#series.of(labels)
  }

  /** The counts so far. */
  samples(): { labels: Labels; value: number }[] {
    return Array.from(this.#series.entries(), ({ labels, value }) => ({ labels, value: value.count }))
  }
}

/** Upper bounds of the buckets of durations, in seconds. */
export const BUCKETS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Durations of one series. */
export interface DurationCounts {
  labels: Labels
  /** How many were at most as long as each of {@link BUCKETS}. */
  upTo: readonly number[]
  count: number
  sumSeconds: number
}

/** Sorts how long things took into {@link BUCKETS}. */
export class Histogram {
  readonly buckets: number[] = BUCKETS.map(() => 0)
  count = 0
  sumSeconds = 0

  add(seconds: number): void {
    this.count++
    this.sumSeconds += seconds
    const bucket = BUCKETS.findIndex((bound) => seconds <= bound)
    if (bucket >= 0) this.buckets[bucket]!++
  }
}

/** A {@link Histogram} for each set of labels. */
export class Durations<Names extends string = never> {
  readonly #series = new Series(() => new Histogram())

  add(seconds: number, labels: Readonly<Record<Names, string>>): void {
    this.of(labels).add(seconds)
  }

  /** The durations of these labels, shown from now on. Who adds often keeps it. */
  of(labels: Readonly<Record<Names, string>>): Histogram {
    return this.#series.of(labels)
  }

  /** The durations so far. */
  samples(): DurationCounts[] {
    return Array.from(this.#series.entries(), ({ labels, value: { buckets, count, sumSeconds } }) => {
      let sum = 0
      const upTo = buckets.map((inside) => {
        sum += inside
        return sum
      })
      return { labels, upTo, count, sumSeconds }
    })
  }
}
