import { expect, test } from 'vitest'
import { ReceiverLoss } from './receiver-loss.ts'

function after(shares: readonly number[], roundTripMs = 100): ReceiverLoss {
  const loss = new ReceiverLoss()
  for (const share of shares) loss.report(share, roundTripMs)
  return loss
}

test('nothing is done where nothing is lost, before a report or after', () => {
  for (const loss of [after([]), after(Array(20).fill(0))]) {
    expect(loss.redundantPackets).toBe(0)
    expect(loss.playoutDelayMs(100, 0)).toBe(0)
  }
})

test('a good network that loses one packet in ten seconds is not slowed down', () => {
  const loss = after([0, 0, 0, 0, 0, 0, 0, 0, 0, 0.04])
  expect(loss.playoutDelayMs(100, 0)).toBe(0)
})

test('the first reports of loss are enough, and it is remembered for ten', () => {
  const loss = after([...Array(30).fill(0), 0.05, 0.05])
  expect(loss.redundantPackets).toBe(2)
  expect(loss.playoutDelayMs(100, 0)).toBe(240)
  for (let i = 0; i < 5; i++) loss.report(0, 100)
  expect(loss.redundantPackets).toBe(1)
  for (let i = 0; i < 5; i++) loss.report(0, 100)
  expect(loss.redundantPackets).toBe(0)
  expect(loss.playoutDelayMs(100, 0)).toBe(0)
})

test('the wait follows the longest round trip, up to half a second', () => {
  const loss = after([0.05, 0.05], 100)
  loss.report(0.05, 180)
  loss.report(0.05, 100)
  expect(loss.playoutDelayMs(100, 0)).toBe(380)
  expect(after([0.2], 9000).playoutDelayMs(100, 0)).toBe(500)
})

test('requests for two packets tell of loss before a report does', () => {
  const loss = new ReceiverLoss()
  loss.onRequest(65_534, 0)
  expect(loss.playoutDelayMs(100, 0)).toBe(0)
  loss.onRequest(3, 1500)
  expect(loss.playoutDelayMs(100, 1500)).toBe(240)
  expect(loss.playoutDelayMs(100, 2000)).toBe(240)
  expect(loss.playoutDelayMs(100, 2001)).toBe(0)
})

test('a packet that is asked for again and again is one', () => {
  const loss = new ReceiverLoss()
  for (const atMs of [0, 25, 50, 75]) loss.onRequest(7, atMs)
  expect(loss.playoutDelayMs(100, 75)).toBe(0)
})
