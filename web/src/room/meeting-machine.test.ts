import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  initialCourse,
  type MeetingCourse,
  type MeetingEffect,
  type MeetingEvent,
  nextMeeting,
} from './meeting-machine.ts'

/** Applies events in order. @returns the resulting state, and all effects in order */
function play(events: readonly MeetingEvent[], from = initialCourse) {
  let course: MeetingCourse = from
  const effects: MeetingEffect[] = []
  for (const event of events) {
    const [after, more] = nextMeeting(course, event)
    course = after
    effects.push(...more)
  }
  return { course, shown: course.shown, effects }
}

const ada = { id: 'ada', name: 'Ada', audio_muted: false, video_muted: false }
const bob = { id: 'bob', name: 'Bob' }
const subscribed: MeetingEvent = {
  kind: 'subscribed',
  selfId: 'ada',
  room: { id: 'session', name: 'standup', members: [ada, bob] },
  nowMs: 1000,
  monotonicMs: 0,
}
const joined: MeetingEvent = {
  kind: 'joined',
  role: 'member',
  permissions: ['room.recording'],
  canSend: { audio: true, video: true },
}
const { course: meeting } = play([subscribed, { kind: 'media-path', up: true }, joined])

describe('what the screens show', () => {
  test('the room that was joined', () => {
    expect(meeting.shown).toMatchObject({
      phase: 'joined',
      selfId: 'ada',
      sessionId: 'session',
      title: 'standup',
      permissions: ['room.recording'],
      recording: null,
    })
    expect(meeting.shown.members.map(({ name }) => name)).toEqual(['Ada', 'Bob'])
  })

  test('a recording that ran before has its start, one without a start begins now', () => {
    const recording = (room: object) =>
      play([{ ...subscribed, room: { ...subscribed.room, ...room } }]).shown.recording
    const running = (sinceMs: number) => ({ paused: false, recordedMs: 0, sinceMs })
    expect(recording({ recordings: [{ state: 'recording', started_at: 7 }] })).toEqual(running(7000))
    expect(recording({ recordings: [{ state: 'recording', started_at: null }] })).toEqual(running(1000))
    expect(recording({ recordings: [{ state: 'paused', started_at: 7 }] })).toMatchObject({ paused: true })
    expect(recording({ recordings: [{ state: 'completed', started_at: 7 }] })).toBeNull()
    expect(recording({ recording: true })).toEqual(running(1000))
  })

  const updated = (fields: object, nowMs = 0): MeetingEvent => ({
    kind: 'room-updated',
    room: { id: 'session', ...fields, updated: Object.keys(fields) },
    nowMs,
  })

  test('an update of the room says whether it is recorded', () => {
    const on = play([updated({ recording: true }, 5000), updated({ recording: true }, 6000)], meeting)
    expect(on.shown.recording).toMatchObject({ sinceMs: 5000 })
    expect(play([updated({ locked: true })], on.course).shown.recording).toBe(on.shown.recording)
    expect(play([updated({ recording: false }, 7000)], on.course).shown.recording).toBeNull()
    const other: MeetingEvent = { kind: 'room-updated', room: { id: 'session', recording: true }, nowMs: 1 }
    expect(nextMeeting(meeting, other)[0]).toBe(meeting)
  })

  test('a paused recording stays one when the room repeats that it is recorded', () => {
    const paused: MeetingEvent = {
      kind: 'recording',
      report: { state: 'paused', startedAtMs: 1000, nowMs: 9000 },
    }
    const { shown } = play(
      [updated({ recording: true }, 1000), paused, updated({ recording: true })],
      meeting,
    )
    expect(shown.recording).toEqual({ paused: true, recordedMs: 8000, sinceMs: null })
    expect(play([paused, { kind: 'recording-ended' }], meeting).shown.recording).toBeNull()
  })

  test('the settings of the room, each as it was last told', () => {
    const first = { ...subscribed.room, layout_name: '2x2', hide_video_muted: true, locked: true }
    const { course, shown } = play([{ ...subscribed, room: first }])
    expect([shown.layout, shown.settings]).toEqual([
      '2x2',
      { hideVideoMuted: true, handsFirst: false, locked: true, nameLabels: false },
    ])
    const after = play(
      [updated({ locked: false, prioritize_handraise: true }), updated({ layout_name: '5up' })],
      course,
    )
    expect([after.shown.layout, after.shown.settings]).toEqual([
      '5up',
      { hideVideoMuted: true, handsFirst: true, locked: false, nameLabels: false },
    ])
    const arranged = play([{ kind: 'layout-changed', name: '3x3', tiles: [] }], after.course)
    expect(arranged.shown.layout).toBe('3x3')
  })

  test('raised hands in their order, until they are lowered or their owners leave', () => {
    const hand = (id: string, handraised: boolean): MeetingEvent => ({
      kind: 'member-updated',
      member: { id, handraised },
    })
    const cleo: MeetingEvent = { kind: 'member', member: { id: 'cleo', name: 'Cleo', handraised: true } }
    const up = play([hand('bob', true), hand('ada', true), cleo, hand('bob', true)], meeting)
    expect(up.shown.hands).toEqual(['bob', 'ada', 'cleo'])
    const left: MeetingEvent = { kind: 'member-left', memberId: 'bob', reason: undefined, monotonicMs: 0 }
    const down = play([left, hand('cleo', false), hand('cleo', true)], up.course)
    expect(down.shown.hands).toEqual(['ada', 'cleo'])
  })

  test('reactions for a while, the latest of a crowd', () => {
    const reacted = { kind: 'reacted', reaction: { memberId: 'bob', name: 'Bob', reaction: '👏' } } as const
    const { course, shown, effects } = play([reacted, reacted], meeting)
    expect(shown.reactions).toEqual([1, 2].map((id) => ({ ...reacted.reaction, id })))
    expect(effects).toEqual([1, 2].map((id) => ({ do: 'end-reaction-later', id })))
    expect(play([{ kind: 'reaction-over', id: 1 }], course).shown.reactions).toMatchObject([{ id: 2 }])
    const crowd = play(Array(100).fill(reacted), course).shown.reactions
    expect(crowd).toHaveLength(30)
    expect(crowd.at(-1)?.id).toBe(102)
  })

  test('whether the room is streamed, from the start and after each change', () => {
    expect(meeting.shown.streaming).toBe(false)
    const { course } = play([{ ...subscribed, room: { ...subscribed.room, streaming: true } }])
    expect(course.shown.streaming).toBe(true)
    const room = { id: 'session', streaming: false, updated: ['streaming'] }
    expect(play([{ kind: 'room-updated', room, nowMs: 0 }], course).shown.streaming).toBe(false)
  })

  test('what played before and what plays since', () => {
    const film = {
      id: 'film',
      url: 'https://a/film',
      state: 'playing',
      volume: 0,
      position: 5,
      seekable: true,
    }
    const before = play([{ ...subscribed, room: { ...subscribed.room, playbacks: [film] }, monotonicMs: 9 }])
    expect(before.shown.playbacks).toMatchObject([{ id: 'film', paused: false, positionMs: 5, toldAtMs: 9 }])
    const change = (fields: object): MeetingEvent => ({
      kind: 'playback',
      playback: { ...film, ...fields },
      monotonicMs: 20,
    })
    const both = play([change({ id: 'song' }), change({ state: 'paused' })], before.course)
    expect(both.shown.playbacks).toMatchObject([{ id: 'film', paused: true }, { id: 'song' }])
    expect(play([change({ state: 'completed' })], both.course).shown.playbacks).toMatchObject([
      { id: 'song' },
    ])
  })

  test('who leaves goes with their screen', () => {
    const screen = { id: 'screen', name: 'Bob', parent_id: 'bob', type: 'screen' }
    const { shown } = play(
      [
        { kind: 'member', member: screen },
        { kind: 'member-left', memberId: 'bob', reason: undefined, monotonicMs: 0 },
      ],
      meeting,
    )
    expect(shown.members.map(({ id }) => id)).toEqual(['ada'])
  })
})

describe('the own role', () => {
  const demote: MeetingEvent = {
    kind: 'role-changed',
    role: 'audience',
    permissions: [],
    canSend: { audio: false, video: false },
  }
  const promote: MeetingEvent = {
    kind: 'role-changed',
    role: 'member',
    permissions: ['room.self.raisehand'],
    canSend: { audio: true, video: false },
  }

  test('is lost with its rights, and the others no longer have this member', () => {
    const { shown, effects } = play([demote], meeting)
    expect(shown).toMatchObject({
      role: 'audience',
      permissions: [],
      canSend: { audio: false, video: false },
    })
    expect(shown.members.map(({ id }) => id)).toEqual(['bob'])
    expect(effects).toEqual([expect.objectContaining({ do: 'tell', title: 'You are in the audience now' })])
  })

  test('keeps this member out of the list, whatever the client still reports about it', () => {
    const moved: MeetingEvent = {
      kind: 'member-updated',
      member: { ...ada, requested_position: 'off-canvas' },
    }
    expect(play([demote, moved], meeting).shown.members.map(({ id }) => id)).toEqual(['bob'])
  })

  test('comes back with the rights that are given then', () => {
    const watching = play([demote], meeting).course
    const { course, shown, effects } = play([promote, subscribed], watching)
    expect(shown).toMatchObject({
      role: 'member',
      permissions: ['room.self.raisehand'],
      canSend: { video: false },
    })
    expect(shown.members.map(({ id }) => id)).toEqual(['ada', 'bob'])
    expect(effects).toEqual([expect.objectContaining({ do: 'tell', title: 'You can take part now' })])
    expect(play([promote], course).effects).toEqual([])
  })

  test('knows how many watch', () => {
    expect(play([{ kind: 'audience', total: 3 }], meeting).shown.audienceCount).toBe(3)
  })

  test('brings a new list of members each time, without those who left meanwhile', () => {
    const alone: MeetingEvent = { ...subscribed, room: { ...subscribed.room, members: [ada] } }
    expect(play([alone], meeting).shown.members.map(({ id }) => id)).toEqual(['ada'])
  })
})

describe('own mutes', () => {
  const mute = (id: string, fields: object): MeetingEvent => ({
    kind: 'member-updated',
    member: { id, ...fields },
  })

  test('are noted at each change, those of others are not', () => {
    expect(play([mute('ada', { audio_muted: true, video_muted: true })], meeting).effects).toEqual([
      { do: 'note-own-mute', what: 'audioMuted', muted: true },
      { do: 'note-own-mute', what: 'videoMuted', muted: true },
    ])
    expect(
      play([mute('ada', { audio_muted: false }), mute('bob', { audio_muted: true })], meeting).effects,
    ).toEqual([])
  })

  test('are not noted when the own member is heard of for the first time', () => {
    const first = play([
      { ...subscribed, room: { id: 'session' } },
      mute('ada', { ...ada, audio_muted: true }),
    ])
    expect(first.effects).toEqual([])
  })
})

describe('void invitations', () => {
  const put = (
    memberId: string,
    monotonicMs: number,
    reason: string | null = 'token_reset',
  ): MeetingEvent => ({
    kind: 'member-left',
    memberId,
    reason: reason ?? undefined,
    monotonicMs,
  })

  test('are told of once for all who go together', () => {
    const together = play([put('a', 0), put('b', 4_000), put('c', 9_000)], meeting)
    expect(together.effects).toEqual([expect.objectContaining({ do: 'tell', title: 'Members had to leave' })])
    expect(play([put('d', 14_001, 'token_revoked')], together.course).effects).toHaveLength(1)
  })

  test('other departures are not told of', () => {
    expect(play([put('bob', 0, 'removed'), put('bob', 0, null)], meeting).effects).toEqual([])
  })
})

describe('a connection', () => {
  test('that is lost is given up later, unless both media and server are back', () => {
    const lost = play(
      [
        { kind: 'transport', up: false },
        { kind: 'server-away', tryAtMs: 9 },
      ],
      meeting,
    )
    expect(lost.shown).toMatchObject({ connected: false, retryAtMs: 9 })
    expect(lost.effects).toEqual([{ do: 'give-up-later' }])
    const half = play([{ kind: 'transport', up: true }], lost.course)
    expect([half.shown.connected, half.effects]).toEqual([false, []])
    const back = play([{ kind: 'server-away', tryAtMs: null }], half.course)
    expect(back.shown).toMatchObject({ connected: true, retryAtMs: null })
    expect(back.effects).toEqual([{ do: 'do-not-give-up' }])
  })

  test('is no concern before the room is joined', () => {
    const { shown, effects } = play([
      { kind: 'transport', up: false },
      { kind: 'media-path', up: false },
    ])
    expect([shown.connected, effects]).toEqual([true, []])
  })

  test('that loses its socket has the server watched, in a meeting only', () => {
    const down: MeetingEvent = { kind: 'socket', up: false }
    const up: MeetingEvent = { kind: 'socket', up: true }
    expect(play([down, up], meeting).effects).toEqual([
      { do: 'watch-server', how: 'begin' },
      { do: 'watch-server', how: 'socketBack' },
    ])
    expect(play([down]).effects).toEqual([{ do: 'watch-server', how: 'end' }])
  })
})

describe('the end', () => {
  const callEnded = (fields: { clientReason?: string; cause?: string } = {}): MeetingEvent => ({
    kind: 'call-ended',
    clientReason: fields.clientReason,
    cause: fields.cause,
  })
  const releaseAfter = (events: readonly MeetingEvent[], from = meeting) =>
    play(events, from).effects.find((effect) => effect.do === 'release')

  test('by the person is no accident, and is the only end', () => {
    const { shown, effects } = play([{ kind: 'leave' }, { kind: 'server-restarted' }, callEnded()], meeting)
    expect(shown).toMatchObject({ phase: 'left', reason: 'left' })
    expect(effects).toEqual([{ do: 'release', reason: 'left', hangUp: false, resume: null }])
  })

  test('of a call that nobody else ends is hung up from here, and the person is brought back', () => {
    expect(releaseAfter([{ kind: 'server-restarted' }])).toMatchObject({
      reason: 'server-restarted',
      hangUp: true,
      resume: meeting.shown,
    })
    expect(releaseAfter([{ kind: 'given-up' }])).toMatchObject({ reason: 'connection-lost', hangUp: true })
  })

  test('has the reason that the server, the room or the client gave', () => {
    expect(releaseAfter([callEnded({ cause: 'MANAGER_REQUEST' })])).toMatchObject({
      reason: 'removed',
      hangUp: false,
      resume: null,
    })
    expect(releaseAfter([{ kind: 'room-ended' }, callEnded()])).toMatchObject({ reason: 'room-ended' })
    expect(releaseAfter([callEnded({ clientReason: 'RECONNECTION_ATTEMPT_TIMEOUT' })])).toMatchObject({
      reason: 'connection-lost',
    })
    expect(releaseAfter([{ kind: 'socket', up: false }, callEnded()])).toMatchObject({
      reason: 'token-refused',
    })
  })

  test('without media brings nobody back, nor does the end of a join', () => {
    const without = play([subscribed, joined]).course
    const end = callEnded({ clientReason: 'x' })
    expect(releaseAfter([end], without)).toMatchObject({ reason: 'media-failed', resume: null })
    expect(releaseAfter([end], meeting)).toMatchObject({ reason: 'connection-lost', resume: meeting.shown })
    expect(releaseAfter([{ kind: 'join-failed' }], initialCourse)).toMatchObject({
      reason: 'unknown',
      resume: null,
    })
    expect(releaseAfter([{ kind: 'server-restarted' }], initialCourse)).toMatchObject({ resume: null })
  })

  test('stops what was shown as running', () => {
    const sharing = play(
      [
        { kind: 'sharing', is: 'on' },
        { kind: 'server-away', tryAtMs: 9 },
      ],
      meeting,
    ).course
    const { shown } = play([{ kind: 'leave' }], sharing)
    expect(shown).toMatchObject({ sharing: 'off', retryAtMs: null, connected: true })
  })
})

const id = fc.constantFrom('ada', 'bob', 'cleo')
const up = fc.boolean()
const anyMember = fc.record(
  {
    id,
    name: fc.constant('name'),
    audio_muted: up,
    video_muted: up,
    handraised: up,
    parent_id: fc.option(id, { nil: undefined }),
  },
  { requiredKeys: ['id'] },
) as fc.Arbitrary<{ id: string }>
const anyEvent: fc.Arbitrary<MeetingEvent> = fc.oneof(
  fc.constantFrom<MeetingEvent>(
    subscribed,
    joined,
    { kind: 'room-ended' },
    { kind: 'given-up' },
    { kind: 'server-restarted' },
    { kind: 'recording-ended' },
    { kind: 'join-failed' },
    { kind: 'leave' },
    { kind: 'role-changed', role: 'audience', permissions: [], canSend: { audio: false, video: false } },
    { kind: 'role-changed', role: 'member', permissions: [], canSend: { audio: true, video: true } },
  ),
  fc.record({ kind: fc.constantFrom('media-path', 'socket', 'transport'), up }),
  fc.record({ kind: fc.constantFrom('member', 'member-updated'), member: anyMember }),
  fc.record({ kind: fc.constant('server-away' as const), tryAtMs: fc.option(fc.nat(), { nil: null }) }),
  fc.record({
    kind: fc.constant('member-left' as const),
    memberId: id,
    reason: fc.constantFrom('token_reset', undefined),
    monotonicMs: fc.nat(60_000),
  }),
  fc.record({
    kind: fc.constant('call-ended' as const),
    clientReason: fc.constantFrom('x', undefined),
    cause: fc.constantFrom('MANAGER_REQUEST', 'SYSTEM_SHUTDOWN', undefined),
  }),
)

test('whatever happens in whatever order, a stay ends once, and a lost connection has its timer', () => {
  const [before, during] = [fc.array(anyEvent, { maxLength: 6 }), fc.array(anyEvent, { maxLength: 40 })]
  fc.assert(
    fc.property(before, during, (early, events) => {
      let course: MeetingCourse = initialCourse
      let [timerRuns, releases] = [false, 0]
      for (const event of [...early, joined, ...events]) {
        // Nobody joins twice, or after the end: the client is asked to join only once.
        if (event.kind === 'joined' && course.shown.phase !== 'joining') continue
        if (event.kind === 'given-up' && !timerRuns) continue
        const wasShown = course.shown
        const [after, effects] = nextMeeting(course, event)
        course = after
        for (const effect of effects) {
          if (effect.do === 'give-up-later') timerRuns = true
          if (effect.do === 'do-not-give-up') timerRuns = false
          if (effect.do !== 'release') continue
          releases++
          timerRuns = false
          expect(effect.reason).toBe(after.shown.reason)
          expect(effect.resume === null || effect.resume === wasShown).toBe(true)
        }
        const { phase, reason, connected, members, hands } = after.shown
        expect(hands.toSorted()).toEqual(
          members.flatMap((one) => (one.handRaised ? [one.id] : [])).toSorted(),
        )
        expect(releases).toBe(phase === 'left' ? 1 : 0)
        expect(reason !== null).toBe(phase === 'left')
        if (wasShown.phase === 'left') expect([phase, reason]).toEqual(['left', wasShown.reason])
        if (phase === 'joined') expect(timerRuns).toBe(!connected)
        expect(new Set(members.map((member) => member.id)).size).toBe(members.length)
      }
    }),
  )
})
