import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  initialScreenShare,
  nextScreenShare,
  type ScreenShareEffect,
  type ScreenShareEvent,
  type ScreenShareState,
} from './screen-share-machine.ts'

/** Applies events in order. @returns the resulting state, and the effects of the last event */
function play(events: readonly ScreenShareEvent[], from = initialScreenShare) {
  let state: ScreenShareState = from
  let effects: readonly ScreenShareEffect[] = []
  for (const event of events) [state, effects] = nextScreenShare(state, event)
  return { is: state.is, effects, state }
}

const [start, stop, over] = [{ kind: 'start' }, { kind: 'stop' }, { kind: 'over' }] as const
const captured = (attempt: number) => ({ kind: 'captured', attempt }) as const
const captureEnded = (attempt: number) => ({ kind: 'capture-ended', attempt }) as const
const shared = (attempt: number) => ({ kind: 'shared', attempt }) as const
const failed = (attempt: number, error: unknown) => ({ kind: 'failed', attempt, error }) as const
const ended = (attempt: number) => ({ kind: 'ended', attempt }) as const
const shows = (is: ScreenShareState['is']) => ({ do: 'show', is }) as const
const stopCapture = (attempt: number) => ({ do: 'stop-capture', attempt }) as const
const endShare = (attempt: number) => ({ do: 'end-share', attempt }) as const
const sharing = play([start, captured(1), shared(1)]).state

test('a share starts once, and is on when the room has it', () => {
  expect(play([start]).effects).toEqual([shows('starting'), { do: 'share', attempt: 1 }])
  expect(play([start, start]).effects).toEqual([])
  expect(play([start, captured(1)])).toMatchObject({ is: 'starting', effects: [] })
  expect(play([start, captured(1), shared(1)])).toMatchObject({ is: 'on', effects: [shows('on')] })
  expect(play([start], sharing)).toMatchObject({ is: 'on', effects: [] })
})

test('a share is stopped here once, also if the end is reported as well', () => {
  const stopped = play([stop], sharing)
  expect(stopped).toMatchObject({ is: 'off', effects: [shows('off'), endShare(1)] })
  expect(play([ended(1)], stopped.state).effects).toEqual([])
  expect(play([stop], stopped.state).effects).toEqual([])
})

test('a share that ends elsewhere is off, the end of an earlier one changes nothing', () => {
  expect(play([ended(1)], sharing)).toMatchObject({ is: 'off', effects: [shows('off'), stopCapture(1)] })
  expect(play([stop, start, shared(2), ended(1)], sharing)).toMatchObject({ is: 'on', effects: [] })
})

test('a dialogue that is closed is no failure, any other refusal is told of', () => {
  const dismissed = play([start, failed(1, new DOMException('', 'NotAllowedError'))])
  expect(dismissed).toMatchObject({ is: 'off', effects: [shows('off'), stopCapture(1)] })
  const error = new Error('The room is full')
  expect(play([start, failed(1, error)])).toMatchObject({
    is: 'off',
    effects: [shows('off'), stopCapture(1), { do: 'tell-refused', error }],
  })
})

test('a capture that ends before the room has it turns the share off, and its late start is ended', () => {
  const given = play([start, captured(1), captureEnded(1)])
  expect(given).toMatchObject({ is: 'off', effects: [shows('off')] })
  expect(play([shared(1)], given.state)).toMatchObject({ is: 'off', effects: [endShare(1)] })
  expect(play([start, shared(1)], given.state)).toMatchObject({ is: 'starting', effects: [endShare(1)] })
  // A running share is ended by the client itself.
  expect(play([captureEnded(1)], sharing)).toMatchObject({ is: 'on', effects: [] })
})

test('the end of the meeting stops the capture, whenever it comes', () => {
  expect(play([over], sharing)).toMatchObject({ is: 'off', effects: [stopCapture(1)] })
  expect(play([start, captured(1), over]).effects).toEqual([stopCapture(1)])
  expect(play([start, over, captured(1)]).effects).toEqual([stopCapture(1)])
  expect(play([start, over, shared(1)]).effects).toEqual([endShare(1)])
  expect(play([start, over, failed(1, new Error('late'))]).effects).toEqual([stopCapture(1)])
  expect(play([over]).effects).toEqual([])
  expect(play([over, start]).effects).toEqual([])
})

const press = fc.constantFrom<ScreenShareEvent>(start, start, stop, over)
const answer = fc.record({
  pick: fc.nat(),
  kind: fc.constantFrom('captured', 'capture-ended', 'shared', 'failed', 'ended'),
})

test('whatever happens in whatever order, one screen is captured at most, and none that is not shown', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(press, answer), { maxLength: 60 }), (steps) => {
      let state = initialScreenShare
      let shown: ScreenShareState['is'] = 'off'
      // The attempts that the browser is asked for, those that are captured, and those that the room has.
      const [asked, live, inRoom] = [new Set<number>(), new Set<number>(), new Set<number>()]
      const take = (event: ScreenShareEvent) => {
        const [after, effects] = nextScreenShare(state, event)
        state = after
        for (const effect of effects) {
          if (effect.do === 'show') shown = effect.is
          if (effect.do === 'share') asked.add(effect.attempt)
          if (effect.do === 'end-share') inRoom.delete(effect.attempt)
          if (effect.do === 'end-share' || effect.do === 'stop-capture') live.delete(effect.attempt)
        }
      }
      for (const step of steps) {
        if (!('pick' in step)) {
          take(step)
        } else {
          const from = { captured: asked, 'capture-ended': live, shared: live, failed: asked, ended: inRoom }
          const among = [...from[step.kind]]
          const attempt = among[step.pick % among.length]
          if (attempt === undefined) continue
          if (step.kind === 'captured' || step.kind === 'failed') asked.delete(attempt)
          if (step.kind === 'captured') live.add(attempt)
          if (step.kind === 'capture-ended') live.delete(attempt)
          if (step.kind === 'shared') inRoom.add(attempt)
          if (step.kind === 'ended') inRoom.delete(attempt)
          take({ kind: step.kind, attempt, error: null })
        }
        if (!state.isOver) expect(shown).toBe(state.is)
        if (state.is === 'off') expect([live.size, state.isOver ? 0 : inRoom.size]).toEqual([0, 0])
        for (const attempt of live) expect(attempt).toBe(state.attempt)
      }
      take(over)
      expect(live.size).toBe(0)
    }),
    { numRuns: 500 },
  )
})
