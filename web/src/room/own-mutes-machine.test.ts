import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  initialOwnMutes,
  type MutedField,
  nextOwnMutes,
  type OwnMutesEffect,
  type OwnMutesEvent,
  type OwnMutesState,
} from './own-mutes-machine.ts'

/** Applies events in order. @returns the resulting state, and all effects in order */
function play(events: readonly OwnMutesEvent[], from = initialOwnMutes) {
  let state: OwnMutesState = from
  const effects: OwnMutesEffect[] = []
  for (const event of events) {
    const [after, more] = nextOwnMutes(state, event)
    state = after
    effects.push(...more)
  }
  return { state, effects, requests: state.audioMuted.requests }
}

const what = 'audioMuted'
const mute: OwnMutesEvent = { kind: 'set', what, muted: true }
const unmute: OwnMutesEvent = { kind: 'set', what, muted: false }
const changed = (muted: boolean): OwnMutesEvent => ({ kind: 'changed', what, muted })
const accepted = (request: number, isMuted: boolean): OwnMutesEvent => ({
  kind: 'accepted',
  what,
  request,
  isMuted,
})
const refused = (request: number): OwnMutesEvent => ({ kind: 'refused', what, request, error: 'no' })
const checked = (request: number, sends: boolean): OwnMutesEvent => ({
  kind: 'checked',
  what,
  request,
  sends,
})
const request = (number: number, muted: boolean): OwnMutesEffect => ({
  do: 'request',
  what,
  request: number,
  muted,
})
const check = (number: number): OwnMutesEffect => ({ do: 'check-sending', what, request: number })
const byModerator = expect.objectContaining({ do: 'tell', title: 'A moderator muted you' })
const notStarted = expect.objectContaining({ do: 'tell', title: 'Your microphone did not start' })

describe('an own mute', () => {
  test('is requested and not told of, whether the change or the answer comes first', () => {
    expect(play([mute, changed(true), accepted(1, true)])).toMatchObject({
      effects: [request(1, true)],
      requests: [],
    })
    expect(play([mute, accepted(1, false), changed(true)])).toMatchObject({
      effects: [request(1, true)],
      requests: [],
    })
  })

  test('pressed twice before the room shows it is requested once', () => {
    expect(play([mute, mute, changed(true), accepted(1, true)]).effects).toEqual([request(1, true)])
  })

  test('that is taken back at once is requested both ways, and no change of it is told of', () => {
    const back = play([mute, unmute, changed(true), changed(false), accepted(1, false), accepted(2, false)])
    expect(back).toMatchObject({ effects: [request(1, true), request(2, false), check(2)], requests: [] })
    const forth = play([unmute, mute, changed(false), changed(true), accepted(1, true), accepted(2, true)])
    expect(forth).toMatchObject({ effects: [request(1, false), request(2, true)], requests: [] })
  })

  test('of what is already muted makes no change, and a later mute is a moderator again', () => {
    expect(play([mute, accepted(1, true), changed(false), changed(true)]).effects).toEqual([
      request(1, true),
      byModerator,
    ])
  })

  test('that is refused is told of with the reason, and a later mute is a moderator again', () => {
    expect(play([mute, refused(1), changed(true)]).effects).toEqual([
      request(1, true),
      { do: 'tell-refused', title: 'Your microphone did not change', error: 'no' },
      byModerator,
    ])
  })

  test('that is answered before the change of an earlier one is reported waits for its own', () => {
    const early = [mute, unmute, mute, accepted(1, false), unmute, accepted(2, false)]
    const late = [changed(true), changed(false), changed(true), accepted(3, true), changed(false)]
    expect(play([...early, ...late, accepted(4, false)])).toMatchObject({
      effects: [request(1, true), request(2, false), request(3, true), request(4, false), check(4)],
      requests: [],
    })
  })

  test('may be repeated when a moderator undid it before its answer', () => {
    expect(play([mute, changed(true), changed(false), mute]).effects).toEqual([
      request(1, true),
      request(2, true),
    ])
  })
})

describe('a mute by a moderator', () => {
  test('is told of, an unmute is not', () => {
    expect(play([changed(true), changed(false)]).effects).toEqual([byModerator])
    expect(play([{ kind: 'changed', what: 'videoMuted', muted: true }]).effects).toEqual([
      expect.objectContaining({ title: 'A moderator turned your camera off' }),
    ])
  })

  test('right after an own unmute is told of, and the device is not looked at any more', () => {
    expect(play([unmute, changed(false), changed(true), accepted(1, true)]).effects).toEqual([
      request(1, false),
      byModerator,
    ])
    expect(
      play([unmute, changed(false), accepted(1, false), changed(true), checked(1, false)]).effects,
    ).toEqual([request(1, false), check(1), byModerator])
  })

  test('at the same time as an own mute is one mute, and nobody is told', () => {
    expect(play([mute, changed(true), accepted(1, true)]).effects).toEqual([request(1, true)])
  })
})

describe('a device that is turned on', () => {
  const on = play([unmute, changed(false), accepted(1, false)]).state

  test('and sends is left alone', () => {
    expect(play([checked(1, true), checked(1, false)], on).effects).toEqual([])
  })

  test('and does not start is muted again, and the person is told', () => {
    const { effects, state } = play([checked(1, false)], on)
    expect(effects).toEqual([notStarted, request(2, true)])
    expect(play([changed(true), accepted(2, true)], state).effects).toEqual([])
  })

  test('and turned off before it started is no failure', () => {
    expect(play([mute, checked(1, false)], on).effects).toEqual([request(2, true)])
  })

  test('again is judged by the last check alone', () => {
    const again = play([mute, unmute, accepted(2, true), accepted(3, false)], on)
    expect(again.effects).toContainEqual(check(3))
    expect(play([checked(1, false)], again.state).effects).toEqual([])
    expect(play([checked(3, false)], again.state).effects).toContainEqual(notStarted)
  })

  test('in vain is not looked at', () => {
    expect(play([unmute, refused(1), checked(1, false)]).effects).toHaveLength(2)
  })
})

describe('after joining', () => {
  const settle = (
    shown: { audioMuted: boolean; videoMuted: boolean } | null,
    running: { audio: boolean; video: boolean },
    mutes: 'of-room' | 'as-ready' = 'of-room',
  ) => play([{ kind: 'settle', shown, running, mutes }]).effects

  test('what was off before is muted, what the room muted stays so', () => {
    expect(settle({ audioMuted: false, videoMuted: false }, { audio: false, video: false })).toMatchObject([
      { do: 'request', what: 'audioMuted', muted: true },
      { do: 'request', what: 'videoMuted', muted: true },
    ])
    expect(settle({ audioMuted: true, videoMuted: true }, { audio: true, video: true })).toEqual([])
    expect(settle({ audioMuted: false, videoMuted: false }, { audio: true, video: true })).toEqual([])
    expect(settle(null, { audio: false, video: false })).toEqual([])
  })

  test('what ran before an interruption is also unmuted', () => {
    expect(
      settle({ audioMuted: true, videoMuted: true }, { audio: true, video: false }, 'as-ready'),
    ).toMatchObject([{ do: 'request', what: 'audioMuted', muted: false }])
  })
})

test('after the meeting nothing is requested or told, whatever comes late', () => {
  const over = play([unmute, { kind: 'over' }]).state
  const late = [accepted(1, false), refused(1), changed(true), checked(1, false), mute]
  expect(play(late, over)).toEqual({ state: over, effects: [], requests: [] })
})

/** A server that carries out requests in order, and whose answers and events reach the page in any order beside each other. */
class Room {
  state = initialOwnMutes
  isMuted = false
  /** What the page has been told. */
  shownMuted = false
  readonly requested: { request: number; muted: boolean; at: number }[] = []
  readonly events: { muted: boolean; byModerator: boolean }[] = []
  readonly answers: number[] = []
  toldOfModerator = 0

  take(event: OwnMutesEvent): void {
    const [state, effects] = nextOwnMutes(this.state, event)
    this.state = state
    for (const effect of effects) {
      if (effect.do === 'request') this.requested.push({ ...effect, at: this.requested.length })
      if (effect.do === 'tell' && effect.title.startsWith('A moderator')) this.toldOfModerator++
    }
  }

  carryOut(): void {
    const next = this.requested.shift()
    if (!next) return
    this.answers.push(next.request)
    this.change(next.muted, false)
  }

  change(muted: boolean, byModerator: boolean): void {
    if (this.isMuted === muted) return
    this.isMuted = muted
    this.events.push({ muted, byModerator })
  }

  report(): boolean {
    const event = this.events.shift()
    if (!event) return false
    this.shownMuted = event.muted
    this.take({ kind: 'changed', what, muted: event.muted })
    return true
  }

  answer(): boolean {
    const number = this.answers.shift()
    if (number !== undefined) this.take({ kind: 'accepted', what, request: number, isMuted: this.shownMuted })
    return number !== undefined
  }
}

const step = fc.constantFrom('mute', 'unmute', 'carry-out', 'report', 'answer')

test('without a moderator nobody is told of one, and the last press is what the room ends with', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const room = new Room()
      let wanted = false
      for (const one of steps) {
        if (one === 'carry-out') room.carryOut()
        if (one === 'report') room.report()
        if (one === 'answer') room.answer()
        if (one !== 'mute' && one !== 'unmute') continue
        wanted = one === 'mute'
        room.take({ kind: 'set', what, muted: wanted })
      }
      while (room.requested.length > 0) room.carryOut()
      while (room.report() || room.answer());
      expect([room.isMuted, room.toldOfModerator]).toEqual([wanted, 0])
      // Nothing is left over that would hide what a moderator does next.
      expect(room.state.audioMuted.requests).toEqual([])
      room.take({ kind: 'changed', what, muted: true })
      expect(room.toldOfModerator).toBe(1)
    }),
    { numRuns: 500 },
  )
})

const field = fc.constantFrom<MutedField>('audioMuted', 'videoMuted')
const number = fc.integer({ min: 1, max: 8 })
const anyEvent: fc.Arbitrary<OwnMutesEvent> = fc.oneof(
  fc.record({ kind: fc.constantFrom('set', 'changed'), what: field, muted: fc.boolean() }),
  fc.record({
    kind: fc.constant('accepted' as const),
    what: field,
    request: number,
    isMuted: fc.constantFrom(true, false, null),
  }),
  fc.record({
    kind: fc.constant('refused' as const),
    what: field,
    request: number,
    error: fc.constant('no'),
  }),
  fc.record({ kind: fc.constant('checked' as const), what: field, request: number, sends: fc.boolean() }),
)

test('whatever comes, late or twice, each request has a new number and one refusal at most', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
      let state = initialOwnMutes
      let [requests, refusals] = [0, 0]
      for (const event of events) {
        const [after, effects] = nextOwnMutes(state, event)
        for (const effect of effects) {
          if (effect.do === 'request') expect(effect.request).toBe(++requests)
          if (effect.do === 'tell-refused') refusals++
          if (effect.do === 'check-sending') expect(after[effect.what].unmuting).toBe(effect.request)
        }
        expect(refusals).toBeLessThanOrEqual(requests)
        // The answer that was just given counts once.
        if (event.kind === 'refused' || event.kind === 'checked')
          expect(nextOwnMutes(after, event)[1]).toEqual([])
        state = after
      }
      expect(state.lastRequest).toBe(requests)
    }),
  )
})
