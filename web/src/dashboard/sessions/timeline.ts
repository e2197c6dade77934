import type { SessionEvent } from './session-queries.ts'

/** A span of time, in Unix milliseconds. */
export interface Span {
  from: number
  to: number
}

/** One person in a session: what the lane of her shows. */
export interface Lane {
  /** Id of the member. */
  id: string
  name: string
  isAudience: boolean
  here: Span
  muted: Span[]
  /** A screen or another device. */
  shared: Span[]
  handRaised: Span[]
  /** Her connection was broken. */
  lost: Span[]
  /** Why she left, as the event says; null while she is there. */
  leftBecause: string | null
}

/** Everybody's presence in a session, in the order of joining. */
export interface Timeline {
  span: Span
  lanes: Lane[]
}

type OpenLane = Lane & { mutedSince: number | null; handSince: number | null; lostSince: number | null }

/**
 * Makes lanes of the history of a session.
 * @param end Unix milliseconds: when it ended, or now
 */
export function timelineOf(events: readonly SessionEvent[], end: number): Timeline {
  const lanes = new Map<string, OpenLane>()
  const shares = new Map<string, { owner: OpenLane; from: number }>()
  for (const event of events) {
    const at = Date.parse(event.created_at)
    const { member_id, parent_id } = event.payload as { member_id?: string; parent_id?: string | null }
    if (member_id === undefined) continue
    const owner = parent_id ? lanes.get(parent_id) : undefined
    if (owner) follow(event.name, shares, member_id, owner, at)
    else followPerson(event, lanes, member_id, at)
  }
  for (const { owner, from } of shares.values()) owner.shared.push({ from, to: Math.min(end, owner.here.to) })
  const all = [...lanes.values()].map((lane) => closed(lane, Math.min(end, lane.here.to)))
  const first = events[0]
  const from = first ? Date.parse(first.created_at) : end
  return { span: { from, to: Math.max(end, from + 1000) }, lanes: all }
}

function follow(
  name: SessionEvent['name'],
  shares: Map<string, { owner: OpenLane; from: number }>,
  id: string,
  owner: OpenLane,
  at: number,
): void {
  if (name === 'member.joined') shares.set(id, { owner, from: at })
  const share = shares.get(id)
  if (name !== 'member.left' || !share) return
  owner.shared.push({ from: share.from, to: at })
  shares.delete(id)
}

function followPerson(
  { name, payload }: SessionEvent,
  lanes: Map<string, OpenLane>,
  id: string,
  at: number,
): void {
  const said = payload as { name?: string; type?: string; reason?: string; changed?: Record<string, unknown> }
  if (name === 'member.joined') {
    lanes.set(id, {
      id,
      name: said.name ?? '',
      isAudience: said.type === 'audience',
      here: { from: at, to: Number.POSITIVE_INFINITY },
      muted: [],
      shared: [],
      handRaised: [],
      lost: [],
      leftBecause: null,
      mutedSince: null,
      handSince: null,
      lostSince: null,
    })
    return
  }
  const lane = lanes.get(id)
  if (!lane) return
  if (name === 'member.promoted') lane.isAudience = false
  if (name === 'member.lost') lane.lostSince ??= at
  if (name === 'member.back' && lane.lostSince !== null) {
    lane.lost.push({ from: lane.lostSince, to: at })
    lane.lostSince = null
  }
  if (name === 'member.updated') change(lane, said.changed ?? {}, at)
  if (name !== 'member.left') return
  lane.here.to = at
  lane.leftBecause = said.reason ?? ''
}

function change(lane: OpenLane, { audio_muted, handraised }: Record<string, unknown>, at: number): void {
  if (audio_muted === true) lane.mutedSince ??= at
  if (audio_muted === false && lane.mutedSince !== null) {
    lane.muted.push({ from: lane.mutedSince, to: at })
    lane.mutedSince = null
  }
  if (handraised === true) lane.handSince ??= at
  if (handraised === false && lane.handSince !== null) {
    lane.handRaised.push({ from: lane.handSince, to: at })
    lane.handSince = null
  }
}

function closed({ mutedSince, handSince, lostSince, ...lane }: OpenLane, end: number): Lane {
  if (mutedSince !== null) lane.muted.push({ from: mutedSince, to: end })
  if (lostSince !== null) lane.lost.push({ from: lostSince, to: end })
  if (handSince !== null) lane.handRaised.push({ from: handSince, to: end })
  return { ...lane, here: { from: lane.here.from, to: end } }
}

/** Where a span lies within another, in percent. */
export function placeIn({ from, to }: Span, whole: Span): { left: string; width: string } {
  const length = whole.to - whole.from
  const percent = (time: number) => Math.min(100, Math.max(0, ((time - whole.from) / length) * 100))
  const left = percent(from)
  return { left: `${left}%`, width: `${Math.max(0.3, percent(to) - left)}%` }
}
