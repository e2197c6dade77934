import { describe, expect, it } from 'vitest'
import { summaryOf, talkingSpans } from './quality.ts'
import { momentAt, positionOf, recordedSpans } from './recording-time.ts'
import { eventsCsv, qualityCsv, sessionJson } from './session-export.ts'
import type { MemberQuality, SessionEvent, WholeSession } from './session-queries.ts'
import { placeIn, timelineOf } from './timeline.ts'

const START = Date.parse('2030-01-31T09:00:00Z')
const event = (name: SessionEvent['name'], seconds: number, payload: Record<string, unknown> = {}) =>
  ({
    name,
    payload,
    level: 'info',
    created_at: new Date(START + seconds * 1000).toISOString(),
    room_participant_id: payload.member_id ?? null,
  }) as SessionEvent
const ada = { member_id: 'a', name: 'Ada', type: 'member', parent_id: null }
const screen = { member_id: 's', name: 'Ada', type: 'screen', parent_id: 'a' }
const at = (from: number, to: number) => ({ from: START + from * 1000, to: START + to * 1000 })

describe('the lanes of a session', () => {
  it('have who was there, muted, sharing and with a raised hand', () => {
    const events = [
      event('room.started', 0),
      event('member.joined', 1, ada),
      event('member.updated', 5, { ...ada, changed: { audio_muted: true, handraised: true } }),
      event('member.joined', 6, screen),
      event('member.updated', 7, { ...ada, changed: { audio_muted: false } }),
      event('member.lost', 8, ada),
      event('member.left', 9, { ...screen, reason: 'left' }),
      event('member.back', 12, ada),
      event('member.lost', 18, ada),
      event('member.left', 20, { ...ada, reason: 'connection_lost' }),
      event('member.updated', 21, { member_id: 'nobody', changed: {} }),
    ]
    expect(timelineOf(events, START + 30_000)).toEqual({
      span: at(0, 30),
      lanes: [
        {
          id: 'a',
          name: 'Ada',
          isAudience: false,
          here: at(1, 20),
          muted: [at(5, 7)],
          shared: [at(6, 9)],
          handRaised: [at(5, 20)],
          lost: [at(8, 12), at(18, 20)],
          leftBecause: 'connection_lost',
        },
      ],
    })
  })

  it('last until now for who is still there', () => {
    const { lanes } = timelineOf(
      [event('member.joined', 1, ada), event('member.joined', 3, screen)],
      START + 9000,
    )
    expect(lanes[0]).toMatchObject({ here: at(1, 9), shared: [at(3, 9)], leftBecause: null })
  })

  it('lie within the session', () => {
    expect(placeIn(at(5, 10), at(0, 20))).toEqual({ left: '25%', width: '25%' })
    expect(placeIn(at(-5, 40), at(0, 20))).toEqual({ left: '0%', width: '100%' })
    expect(timelineOf([], START)).toEqual({ span: at(0, 1), lanes: [] })
  })
})

describe('a recording', () => {
  const spans = recordedSpans('r', START, START + 20_000, [
    event('recording.paused', 5, { recording_id: 'r' }),
    event('recording.paused', 6, { recording_id: 'other' }),
    event('recording.resumed', 10, { recording_id: 'r' }),
  ])

  it('leaves pauses out', () => expect(spans).toEqual([at(0, 5), at(10, 20)]))

  it('is in step with the session', () => {
    expect(momentAt(spans, 3)).toBe(START + 3000)
    expect(momentAt(spans, 6)).toBe(START + 11_000)
    expect(momentAt(spans, 99)).toBe(START + 20_000)
    expect(positionOf(spans, START + 11_000)).toBe(6)
    expect(positionOf(spans, START + 7000)).toBeNull()
    expect(momentAt([], 1)).toBeNull()
  })
})

const quality: MemberQuality = {
  member_id: 'a',
  start_time: new Date(START).toISOString(),
  interval_ms: 10_000,
  talking: [0.9, 1, 0.2, 0.01, null, 0.1],
  round_trip_ms: [40, null, 60, 41, null, 39],
  jitter_ms: [],
  uplink_loss: [],
  downlink_loss: [],
  uplink_bitrate: [],
  downlink_bitrate: [],
  frame_rate: [],
}

describe('the connection of a member', () => {
  it('shows who talked how much', () => {
    expect(talkingSpans(quality)).toEqual([
      { ...at(0, 20), share: 1 },
      { ...at(20, 30), share: 0.25 },
      { ...at(50, 60), share: 0.25 },
    ])
    expect(talkingSpans(undefined)).toEqual([])
  })

  it('is summed up by what was measured', () => {
    expect(summaryOf([...quality.round_trip_ms])).toEqual({ mean: 45, highest: 60 })
    expect(summaryOf([null])).toBeNull()
  })

  it('is exported with the name of the member, an interval in a row', () => {
    const rows = qualityCsv({ qualities: [quality], events: [event('member.joined', 0, ada)] }).split('\r\n')
    expect(rows).toHaveLength(8)
    expect(rows[0]).toContain('"time","interval_ms","person","member_id"')
    expect(rows[3]).toContain('"2030-01-31T09:00:20.000Z","10000","Ada","a"')
    expect(qualityCsv({ qualities: [], events: [] })).toBe('')
  })
})

describe('an export', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\r=1'])(
    'gives a spreadsheet no formula: %j',
    (name) => {
      const csv = eventsCsv({ events: [event('member.joined', 0, { ...ada, name })] })
      expect(csv).toContain(`"'${name}"`)
    },
  )

  it('keeps quotes and lines in their cell', () => {
    const csv = eventsCsv({ events: [event('member.joined', 0, { name: 'Ada "the\nfirst", L' })] })
    expect(csv).toContain('"Ada ""the\nfirst"", L"')
    expect(csv.split('\r\n')).toHaveLength(3)
  })

  it('has no link to media', () => {
    const whole = {
      session: { id: 's', preview_url: 'https://x/secret' },
      events: [],
      recordings: [{ id: 'r', uri: 'https://x/secret' }],
    } as unknown as WholeSession
    expect(sessionJson(whole)).not.toContain('secret')
  })
})
