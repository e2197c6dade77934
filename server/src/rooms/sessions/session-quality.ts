import type { Clock } from '../../clock.ts'
import { type LegQuality, QUALITY_INTERVAL_MS } from '../../media/channel.ts'
import type { MediaRoom } from '../../media/media-plane.ts'
import { QUALITY_LIMITS } from '../../resources/quality-limits.ts'
import type { MemberQualityRecord } from '../../storage/records.ts'
import type { Member } from './member.ts'
import { QualityLog } from './quality-log.ts'
import type { SessionRoster } from './session-roster.ts'
import type { SessionWriteQueue } from './session-write-queue.ts'

/** Reports between two writes of a member: a crash loses what came after the last. */
const REPORTS_PER_WRITE = 6

export interface SessionQualityOptions {
  sessionId: string
  projectId: string
  media: MediaRoom
  roster: SessionRoster
  writes: SessionWriteQueue
  clock: Clock
  /** Called when the level of somebody's connection changed. */
  onLevel: () => void
}

/** What was measured last of a member's connection. */
export interface ConnectionQuality {
  /** The worse of both directions decides. */
  level: 'good' | 'fair' | 'poor'
  /** Share of lost packets in the worse direction, 0 to 1. */
  loss: number
  roundTripMs: number | null
}

interface Measured {
  /** Null before the first report. */
  log: QualityLog | null
  unwritten: number
  /** Since when the member talks; null while it is silent. */
  talkingSince: number | null
  talkedMs: number
  /** Null before the first report. */
  latest: ConnectionQuality | null
}

/** Keeps how the connections of the members are, and how much they talk. The audience is left out. */
export class SessionQuality {
  readonly #options: SessionQualityOptions
  readonly #members = new Map<string, Measured>()

  constructor(options: SessionQualityOptions) {
    this.#options = options
    const { media } = options
    media.on('quality', ({ legs }) => {
      for (const leg of legs) this.#add(leg)
    })
    media.on('talking', ({ memberId, talking }) => this.#talks(memberId, talking))
  }

  /** What was measured last; null before the first report, and for the audience. */
  latestOf({ id }: Member): ConnectionQuality | null {
    return this.#members.get(id)?.latest ?? null
  }

  /** The member has left: what was not written yet is. */
  forget({ id }: Member): void {
    const measured = this.#members.get(id)
    if (!measured) return
    this.#members.delete(id)
    if (measured.unwritten > 0) this.#write(id, measured)
  }

  #add({ memberId, ...quality }: LegQuality): void {
    const member = this.#options.roster.get(memberId)
    if (!member || member.isAudience) return
    const now = this.#options.clock.now()
    const measured = this.#of(memberId)
    measured.log ??= new QualityLog(now - QUALITY_INTERVAL_MS)
    measured.log.add(now, {
      talking: this.#talkedShare(measured, now),
      round_trip_ms: rounded(quality.roundTripMs, 0),
      jitter_ms: rounded(quality.jitterMs, 1),
      uplink_loss: rounded(quality.uplinkLoss, 4),
      downlink_loss: rounded(quality.downlinkLoss, 4),
      uplink_bitrate: rounded(quality.uplinkBitrateBps, 0),
      downlink_bitrate: rounded(quality.downlinkBitrateBps, 0),
      frame_rate: rounded(quality.frameRate, 1),
    })
    const before = measured.latest?.level
    measured.latest = latestOf(quality)
    if (measured.latest.level !== before) this.#options.onLevel()
    measured.unwritten++
    if (measured.unwritten >= REPORTS_PER_WRITE) this.#write(memberId, measured)
  }

  #of(memberId: string): Measured {
    const known = this.#members.get(memberId)
    if (known) return known
    const measured: Measured = { log: null, unwritten: 0, talkingSince: null, talkedMs: 0, latest: null }
    this.#members.set(memberId, measured)
    return measured
  }

  #talks(memberId: string, talking: boolean): void {
    if (!this.#options.roster.get(memberId)) return
    const now = this.#options.clock.now()
    const measured = this.#of(memberId)
    if (talking) measured.talkingSince ??= now
    else if (measured.talkingSince !== null) {
      measured.talkedMs += now - measured.talkingSince
      measured.talkingSince = null
    }
  }

  /** Share of the last interval; begins the next one. */
  #talkedShare(measured: Measured, now: number): number {
    if (measured.talkingSince !== null) {
      measured.talkedMs += now - measured.talkingSince
      measured.talkingSince = now
    }
    const share = Math.min(1, measured.talkedMs / QUALITY_INTERVAL_MS)
    measured.talkedMs = 0
    return Number(share.toFixed(2))
  }

  #write(memberId: string, measured: Measured): void {
    const { log } = measured
    if (!log) return
    measured.unwritten = 0
    const { sessionId, projectId, writes } = this.#options
    const record: MemberQualityRecord = {
      member_id: memberId,
      project_id: projectId,
      room_session_id: sessionId,
      started_at: log.startedAt,
      interval_ms: log.intervalMs,
      series: structuredClone(log.series),
    }
    writes.write((storage) => storage.memberQuality.save(record), 'detail')
  }
}

function latestOf({
  uplinkLoss,
  downlinkLoss,
  roundTripMs,
}: Omit<LegQuality, 'memberId'>): ConnectionQuality {
  const loss = Math.max(uplinkLoss ?? 0, downlinkLoss ?? 0)
  const isWorse = (level: 'fair' | 'poor') =>
    loss > QUALITY_LIMITS.loss[level] || (roundTripMs ?? 0) > QUALITY_LIMITS.roundTripMs[level]
  return { level: isWorse('poor') ? 'poor' : isWorse('fair') ? 'fair' : 'good', loss, roundTripMs }
}

const rounded = (value: number | null, digits: number) =>
  value === null ? null : Number(value.toFixed(digits))
