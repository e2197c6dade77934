import { QUALITY_LIMITS } from '../../../../server/src/resources/quality-limits.ts'

/** What the browser measured of the connection within the last seconds. */
export interface ConnectionFacts {
  /** Of all packets, both ways, the worse of them; 0 to 1. */
  loss: number
  /** Null until it was measured. */
  roundTripMs: number | null
  /** Pictures shown a second; null while none is expected. */
  framesPerSecond: number | null
}

export type QualityLevel = 'good' | 'fair' | 'poor'

/** Pictures a second. Where nothing moves, or the server is at its limit, one comes now and then: that is no fault of the connection. */
const FRAMES = { fair: 0.9, poor: 0.4 }

/** The worst of the three decides. */
export function qualityOf({ loss, roundTripMs, framesPerSecond }: ConnectionFacts): QualityLevel {
  const isWorse = (level: 'fair' | 'poor') =>
    loss > QUALITY_LIMITS.loss[level] ||
    (roundTripMs !== null && roundTripMs > QUALITY_LIMITS.roundTripMs[level]) ||
    (framesPerSecond !== null && framesPerSecond < FRAMES[level])
  if (isWorse('poor')) return 'poor'
  return isWorse('fair') ? 'fair' : 'good'
}

/** Counters of one moment, as the browser has them. They only grow, until the connection is replaced. */
export interface Counters {
  /** Milliseconds. */
  atMs: number
  received: number
  lost: number
  frames: number
  /** As the server last reported of what this device sends; 0 to 1. */
  sendLoss: number
  roundTripMs: number | null
}

/** What happened between two moments. Null if it is too short to tell, or the connection was replaced. */
export function factsBetween(before: Counters, after: Counters): ConnectionFacts | null {
  const seconds = (after.atMs - before.atMs) / 1000
  const received = after.received - before.received
  if (seconds < 0.5 || received < 0 || after.frames < before.frames) return null
  // A packet that arrives after it was counted as lost is not lost any more.
  const lost = Math.max(0, after.lost - before.lost)
  const total = received + lost
  return {
    loss: Math.max(total === 0 ? 0 : lost / total, after.sendLoss),
    roundTripMs: after.roundTripMs,
    framesPerSecond: (after.frames - before.frames) / seconds,
  }
}

interface StatsEntry {
  type: string
  kind?: string
  packetsReceived?: number
  packetsLost?: number
  framesDecoded?: number
  fractionLost?: number
  roundTripTime?: number
  currentRoundTripTime?: number
  nominated?: boolean
}

/** Reads the counters out of the browser's reports. @param nowMs milliseconds */
export function countersOf(reports: Iterable<StatsEntry>, nowMs: number): Counters {
  const counters: Counters = { atMs: nowMs, received: 0, lost: 0, frames: 0, sendLoss: 0, roundTripMs: null }
  for (const report of reports) {
    if (report.type === 'inbound-rtp') {
      counters.received += report.packetsReceived ?? 0
      counters.lost += report.packetsLost ?? 0
      counters.frames += report.framesDecoded ?? 0
    } else if (report.type === 'remote-inbound-rtp') {
      counters.sendLoss = Math.max(counters.sendLoss, report.fractionLost ?? 0)
      counters.roundTripMs ??= inMs(report.roundTripTime)
    } else if (report.type === 'candidate-pair' && report.nominated) {
      counters.roundTripMs = inMs(report.currentRoundTripTime) ?? counters.roundTripMs
    }
  }
  return counters
}

const inMs = (seconds: number | undefined) => (seconds === undefined ? null : Math.round(seconds * 1000))
