import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compactNtpOf, compactNtpToMs, msToCompactNtp, ntpMsFromWords, ntpMsOf, ntpWordsOf } from './ntp.ts'

const time = fc.double({ min: 3.9e12, max: 4.2e12, noNaN: true })

test('words and milliseconds say the same moment', () => {
  fc.assert(
    fc.property(time, (ntpMs) => {
      const { seconds, fraction } = ntpWordsOf(ntpMs)
      expect(ntpMsFromWords(seconds, fraction)).toBeCloseTo(ntpMs, 2)
      expect(compactNtpOf(ntpMs)).toBe((((seconds & 0xffff) << 16) | (fraction >>> 16)) >>> 0)
    }),
  )
})

test('the present is the present', () => {
  const unixMs = ntpMsOf(performance.now()) - 2_208_988_800_000
  expect(Math.abs(unixMs - Date.now())).toBeLessThan(1000)
})

test('durations survive the compact form', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 60_000, noNaN: true }), (durationMs) => {
      expect(Math.abs(compactNtpToMs(msToCompactNtp(durationMs)) - durationMs)).toBeLessThan(0.02)
    }),
  )
})
