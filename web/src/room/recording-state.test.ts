import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MeetingRecording, recordedMsOf, withReport } from './recording-state.ts'

const report = (state: 'recording' | 'paused', nowMs: number, startedAtMs: number | null = null) => ({
  state,
  startedAtMs,
  nowMs,
})

test('a recording counts from its start, a pause stops the clock, and the clock goes on after it', () => {
  const started = withReport(null, report('recording', 1500, 1000))
  expect(recordedMsOf(started, 4000)).toBe(3000)
  const paused = withReport(started, report('paused', 4000))
  expect(paused).toMatchObject({ paused: true })
  expect(recordedMsOf(paused, 9000)).toBe(3000)
  const resumed = withReport(paused, report('recording', 9000, 1000))
  expect(recordedMsOf(resumed, 9500)).toBe(3500)
})

test('the length of a recording that was paused before this page came is not known', () => {
  const paused = withReport(null, report('paused', 1000, 0))
  expect(recordedMsOf(paused, 2000)).toBeNull()
  expect(recordedMsOf(withReport(paused, report('recording', 2000, 0)), 3000)).toBeNull()
})

test('a report that repeats what is known changes nothing', () => {
  const started = withReport(null, report('recording', 5000, 4000))
  expect(withReport(started, report('recording', 6000, 4000))).toBe(started)
  expect(withReport(started, report('recording', 6000))).toBe(started)
  const paused = withReport(started, report('paused', 6000))
  const resumed = withReport(paused, report('recording', 7000, 4000))
  expect(withReport(resumed, report('recording', 8000, 4000))).toBe(resumed)
  expect(withReport(paused, report('paused', 8000))).toBe(paused)
})

test('a start that is told later than the recording itself sets the clock', () => {
  const early = withReport(null, report('recording', 1000))
  expect(recordedMsOf(withReport(early, report('recording', 3000, 2500)), 3000)).toBe(500)
})

test('whatever is paused when, the clock shows the time that was not paused', () => {
  const step = fc.record({ state: fc.constantFrom('recording', 'paused'), afterMs: fc.nat(10_000) })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let recording: MeetingRecording = withReport(null, report('recording', 0))
      let [nowMs, expected] = [0, 0]
      for (const { state, afterMs } of steps) {
        nowMs += afterMs
        if (!recording.paused) expected += afterMs
        recording = withReport(recording, report(state, nowMs))
        expect(recordedMsOf(recording, nowMs)).toBe(expected)
        expect(recording.sinceMs === null).toBe(recording.paused)
      }
    }),
  )
})
