import type { Usage } from '../dashboard-queries.ts'

const HOUR_S = 3600

/** Use in portions for a plot: hours, or days of the person's own time zone. */
export interface UsageSeries {
  /** Begin of each portion, in Unix seconds. */
  times: number[]
  members: number[]
  recorded: number[]
  streamed: number[]
}

/** Sums of a {@link Usage}. */
export interface UsageTotals {
  members: number
  recorded: number
  streamed: number
  dollars: number
}

/** @param byDay adds the hours of each local day together */
export function seriesOf(usage: Usage, byDay: boolean): UsageSeries {
  const series: UsageSeries = { times: [], members: [], recorded: [], streamed: [] }
  const start = Date.parse(usage.start) / 1000
  usage.member_minutes.forEach((members, hour) => {
    const time = portionOf(start + hour * HOUR_S, byDay)
    if (series.times.at(-1) !== time) {
      series.times.push(time)
      for (const values of [series.members, series.recorded, series.streamed]) values.push(0)
    }
    const last = series.times.length - 1
    add(series.members, last, members)
    add(series.recorded, last, usage.recorded_minutes[hour])
    add(series.streamed, last, usage.streamed_minutes[hour])
  })
  return series
}

/** Sums of all hours. */
export function totalsOf(usage: Usage): UsageTotals {
  return {
    members: sum(usage.member_minutes),
    recorded: sum(usage.recorded_minutes),
    streamed: sum(usage.streamed_minutes),
    dollars: sum(usage.cost_in_dollars),
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

function add(values: number[], index: number, more = 0): void {
  values[index] = (values[index] ?? 0) + more
}

function portionOf(time: number, byDay: boolean): number {
  return byDay ? new Date(time * 1000).setHours(0, 0, 0, 0) / 1000 : time
}
