import { expect, test } from 'vitest'
import { SenderClock } from './sender-clock.ts'

/** The sender's clock is this far ahead of ours. */
const AHEAD_MS = 3.9e12
const DELAY_MS = 50

test('capture times come out on our clock, half a round trip taken off', () => {
  const clock = new SenderClock()
  clock.roundTripMs = 2 * DELAY_MS
  clock.onSenderReport(1, AHEAD_MS + 1000, 90_000, 1000 + DELAY_MS)
  expect(clock.capturedAtMs(1, 90_000, 90_000, 1060)).toBeCloseTo(1000, 3)
  expect(clock.capturedAtMs(1, 90_000 - 9000, 90_000, 1060)).toBeCloseTo(900, 3)
})

test('sound and picture of one browser share the estimate, so that jitter does not part them', () => {
  const clock = new SenderClock()
  for (let i = 0; i < 20; i++) {
    const jitterMs = (i * 37) % 23
    clock.onSenderReport(1, AHEAD_MS + i * 1000, i * 90_000, i * 1000 + DELAY_MS + jitterMs)
    clock.onSenderReport(2, AHEAD_MS + i * 1000 + 500, i * 48_000, i * 1000 + 500 + DELAY_MS + 90)
  }
  const picture = clock.capturedAtMs(1, 10 * 90_000, 90_000, 20_000)
  const sound = clock.capturedAtMs(2, 10 * 48_000, 48_000, 20_000)
  // Timestamp 10 s of the sound belongs to half a second later.
  expect(sound - picture).toBeCloseTo(500, 3)
  expect(Math.abs(picture - 10_000 - DELAY_MS)).toBeLessThan(3)
})

test('timestamps wrap between report and frame', () => {
  const clock = new SenderClock()
  clock.onSenderReport(1, AHEAD_MS, 0xffff_ff00, 0)
  expect(clock.capturedAtMs(1, 0x1_0000_0000 - 0x100 + 9000 - 2 ** 32, 90_000, 150)).toBeCloseTo(100, 3)
})

test('a step of the sender’s clock is followed at once', () => {
  const clock = new SenderClock()
  clock.onSenderReport(1, AHEAD_MS, 0, 100)
  clock.onSenderReport(1, AHEAD_MS + 1000 + 60_000, 90_000, 1100)
  expect(clock.capturedAtMs(1, 90_000, 90_000, 1200)).toBeCloseTo(1100, 3)
})

test('nothing was captured after it has arrived', () => {
  const clock = new SenderClock()
  clock.onSenderReport(1, AHEAD_MS, 0, 100)
  expect(clock.capturedAtMs(1, 9000, 90_000, 150)).toBe(150)
})

test('before its first report a stream travels as long as the other one', () => {
  const clock = new SenderClock()
  expect(clock.capturedAtMs(2, 0, 48_000, 500)).toBe(500)
  clock.onSenderReport(1, AHEAD_MS, 0, 100)
  expect(clock.capturedAtMs(1, 90_000, 90_000, 1100 + DELAY_MS)).toBeCloseTo(1100, 3)
  expect(clock.capturedAtMs(2, 48_000, 48_000, 2000)).toBeCloseTo(2000 - DELAY_MS, 3)
})

test('a stream that is over is forgotten', () => {
  const clock = new SenderClock()
  clock.onSenderReport(1, AHEAD_MS, 0, 100)
  clock.forget(1)
  expect(clock.capturedAtMs(1, 0, 90_000, 700)).toBe(700)
})
