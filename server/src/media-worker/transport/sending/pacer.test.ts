import { expect, test } from 'vitest'
import { Pacer } from './pacer.ts'

/** Sends packets of 1,200 bytes whenever the pacer lets it, every 10 ms. @returns bytes */
function sendFor(pacer: Pacer, fromMs: number, toMs: number): number {
  let bytes = 0
  for (let nowMs = fromMs; nowMs < toMs; nowMs += 10) {
    while (pacer.isOpen(nowMs)) {
      pacer.onSent(1200)
      bytes += 1200
    }
  }
  return bytes
}

test('what leaves follows the rate, with a burst of no more than 12 packets', () => {
  const pacer = new Pacer()
  pacer.bps = 2_000_000
  expect(sendFor(pacer, 0, 10)).toBeLessThanOrEqual(14_400)
  expect(sendFor(pacer, 10, 10_010)).toBeGreaterThan(2_450_000)
  // After a silence there is one burst, not what would have been sent meanwhile.
  expect(sendFor(pacer, 60_000, 60_010)).toBeLessThanOrEqual(14_400)
})

test('a rate of nothing lets nothing leave, and retransmissions count', () => {
  const pacer = new Pacer()
  pacer.bps = 0
  expect(sendFor(pacer, 0, 1000)).toBe(0)
  pacer.bps = 1_000_000
  pacer.onSent(12_000)
  expect(pacer.isOpen(1010)).toBe(false)
  expect(pacer.isOpen(1100)).toBe(true)
})
