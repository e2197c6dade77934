/** A working day of an installation, as sums for each minute. */
export interface Day {
  /** In the busiest minute. */
  peak: { members: number; sessions: number; joinsPerSecond: number; eventsPerSecond: number }
  /** Rows that the day adds. */
  rows: { sessions: number; members: number; calls: number; events: number }
}

const MINUTES = 24 * 60
/** Of people in a meeting: half of meetings have 2 to 4, few have 30. */
const MEAN_SIZE = 6
const LARGEST = 50
/** The logarithm of minutes is distributed normally: half of meetings take less than 30 minutes. */
const MEDIAN_MINUTES = 30
const SIGMA = 0.7
/** Everybody mutes, unmutes or does something else that the history keeps, so often. */
const MINUTES_BETWEEN_CHANGES = 4
/** Connections that break and come back, for each hour and member. */
const BREAKS_PER_HOUR = 0.2

/** Numbers between 0 and 1 that are the same each time (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** How much begins in a minute, where 1 is the busiest: two humps between 8 and 18 o'clock, and a little at night. */
function busyness(minute: number): number {
  const hump = (at: number) => Math.exp(-(((minute - at * 60) / 100) ** 2))
  return 0.03 + 0.97 * Math.min(1, hump(10) + 0.9 * hump(15))
}

/**
 * Simulates a day meeting by meeting.
 * @param peakMembers about so many are in meetings at the busiest time
 */
export function simulateDay(peakMembers: number): Day {
  const random = randomNumbers(peakMembers)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const meanMinutes = MEDIAN_MINUTES * Math.exp(SIGMA ** 2 / 2)
  const meetingsPerBusyMinute = peakMembers / MEAN_SIZE / meanMinutes
  const [members, sessions, joins, events] = Array.from({ length: 4 }, () => new Float64Array(MINUTES)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  const rows = { sessions: 0, members: 0, calls: 0, events: 0 }
  let owed = 0
  for (let minute = 0; minute < MINUTES; minute++) {
    for (owed += meetingsPerBusyMinute * busyness(minute); owed >= 1; owed--) {
      const size = Math.min(LARGEST, 2 + Math.floor(-Math.log(1 - random()) * (MEAN_SIZE - 2)))
      const length = Math.max(1, Math.round(MEDIAN_MINUTES * Math.exp(SIGMA * normal())))
      const until = Math.min(MINUTES, minute + length)
      const breaks = size * (length / 60) * BREAKS_PER_HOUR
      // Begin and end of the session; each comes in and leaves; each breakage is told twice.
      const ofAll = 2 + 2 * size + 2 * breaks
      const perMinute = size / MINUTES_BETWEEN_CHANGES
      joins[minute]! += size
      events[minute]! += ofAll
      for (let at = minute; at < until; at++) {
        members[at]! += size
        sessions[at]! += 1
        events[at]! += perMinute
      }
      rows.sessions += 1
      rows.members += size
      rows.calls += size
      rows.events += ofAll + perMinute * (until - minute)
    }
  }
  const most = (sums: Float64Array) => sums.reduce((largest, sum) => Math.max(largest, sum), 0)
  return {
    peak: {
      members: most(members),
      sessions: most(sessions),
      joinsPerSecond: most(joins) / 60,
      eventsPerSecond: most(events) / 60,
    },
    rows,
  }
}
