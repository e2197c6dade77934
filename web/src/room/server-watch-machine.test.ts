import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  initialWatch,
  nextWatch,
  type WatchEffect,
  type WatchEvent,
  type WatchState,
} from './server-watch-machine.ts'

function play(events: readonly WatchEvent[], from: WatchState) {
  let state = from
  const effects: WatchEffect[] = []
  for (const event of events) {
    const [after, more] = nextWatch(state, event)
    state = after
    effects.push(...more)
  }
  return { state, effects }
}

const known: WatchState = { ...initialWatch, run: 'first' }
const answer = (turn: number, run: string | null): WatchEvent => ({
  kind: 'answer',
  turn,
  run,
  nowMs: 1000,
  random: 1,
})

test('a dropped socket has the server asked, again and again while it does not answer', () => {
  const { state, effects } = play(
    [{ kind: 'begin' }, answer(1, null), { kind: 'due' }, answer(1, null)],
    known,
  )
  expect(effects).toEqual([
    { do: 'ask', turn: 1 },
    { do: 'tell-away', tryAtMs: 1500 },
    { do: 'wait', delayMs: 500 },
    { do: 'stop-waiting' },
    { do: 'ask', turn: 1 },
    { do: 'tell-away', tryAtMs: 2000 },
    { do: 'wait', delayMs: 1000 },
  ])
  expect(state).toMatchObject({ isWatching: true, isWaiting: true, attempts: 2 })
})

test('a server that answers while the socket is gone is asked on, and nobody is told that it is away', () => {
  const { effects } = play([{ kind: 'begin' }, answer(1, 'first')], known)
  expect(effects.slice(1)).toEqual([
    { do: 'tell-away', tryAtMs: null },
    { do: 'wait', delayMs: 500 },
  ])
})

test('another run of the server is told, the same one ends the watch once the socket is back', () => {
  const begun = play([{ kind: 'begin' }], known).state
  expect(play([answer(1, 'second')], begun).effects).toEqual([{ do: 'tell-restarted' }])
  const back = play([{ kind: 'socket-back' }], begun)
  expect(back.effects).toEqual([{ do: 'ask', turn: 2 }])
  const same = play([answer(2, 'first')], back.state)
  expect(same.effects).toEqual([{ do: 'tell-away', tryAtMs: null }])
  expect(same.state.isWatching).toBe(false)
  expect(play([answer(2, 'second')], back.state).effects).toEqual([{ do: 'tell-restarted' }])
})

test('an answer from before the socket was back does not count', () => {
  const { state } = play([{ kind: 'begin' }, { kind: 'socket-back' }], known)
  expect(nextWatch(state, answer(1, 'second'))).toEqual([state, []])
})

test('a socket that drops again while the server is asked has it watched on', () => {
  const again = play(
    [{ kind: 'begin' }, { kind: 'socket-back' }, { kind: 'begin' }, answer(2, 'first')],
    known,
  )
  expect(again.state).toMatchObject({ isWatching: true, isWaiting: true })
})

test('where the run is not known, none counts as another', () => {
  const { effects } = play([{ kind: 'begin' }, answer(1, 'second')], initialWatch)
  expect(effects).not.toContainEqual({ do: 'tell-restarted' })
})

test('the person can ask at once, but not while a question is under way', () => {
  const asking = play([{ kind: 'begin' }], known).state
  expect(nextWatch(asking, { kind: 'try-now' })).toEqual([asking, []])
  const waiting = play([answer(1, null)], asking).state
  expect(nextWatch(waiting, { kind: 'try-now' })[1]).toEqual([{ do: 'stop-waiting' }, { do: 'ask', turn: 1 }])
})

const anyEvent: fc.Arbitrary<WatchEvent> = fc.oneof(
  fc.constantFrom<WatchEvent>(
    { kind: 'begin' },
    { kind: 'socket-back' },
    { kind: 'end' },
    { kind: 'try-now' },
    { kind: 'due' },
  ),
  fc.record({
    kind: fc.constant('answer' as const),
    turn: fc.nat(12),
    run: fc.constantFrom('first', 'second', null),
    nowMs: fc.nat(10_000),
    random: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
)

test('whatever happens, one question at a time is under way, and nothing goes on after the end', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
      let state = known
      let [timerRuns, askedTurn] = [false, 0]
      for (const event of events) {
        // A stopped timer does not fire, and each question gets one answer.
        if (event.kind === 'due' && !timerRuns) continue
        if (event.kind === 'due') timerRuns = false
        if (event.kind === 'answer' && (askedTurn === 0 || event.turn !== askedTurn)) continue
        if (event.kind === 'answer') askedTurn = 0
        const wasWatching = state.isWatching
        const [after, effects] = nextWatch(state, event)
        state = after
        for (const effect of effects) {
          if (effect.do === 'stop-waiting') timerRuns = false
          if (effect.do === 'wait') {
            expect([timerRuns, effect.delayMs <= 3_000]).toEqual([false, true])
            timerRuns = true
          }
          if (effect.do === 'ask') {
            expect(effect.turn).not.toBe(askedTurn)
            askedTurn = effect.turn
          }
          if (effect.do === 'tell-away' && effect.tryAtMs !== null) expect(state.isWatching).toBe(true)
        }
        expect(timerRuns).toBe(state.isWaiting)
        if (state.isWaiting) expect(state.isWatching).toBe(true)
        if (!wasWatching && event.kind !== 'begin') expect(effects).toEqual([])
      }
    }),
  )
})
