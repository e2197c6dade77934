import { expect, test } from 'vitest'
import { compactNtpOf, msToCompactNtp, ntpMsOf } from '../rtp/ntp.ts'
import { SendStream } from './send-stream.ts'

const report = { ssrc: 1, fractionLost: 0.25, highestSequence: 1, jitter: 0 }

test('a sender report ties the stream’s clock to the moment of capture', () => {
  const stream = new SendStream(90_000)
  expect(stream.senderInfo(1000)).toBeNull()
  stream.packets = 3
  stream.octets = 3000
  stream.onSent(450_000, 2000)
  const info = stream.senderInfo(2100)!
  expect(info).toMatchObject({ packetCount: 3, octetCount: 3000, rtpTimestamp: 459_000 })
  expect(info.ntpMs).toBeCloseTo(ntpMsOf(2100), 3)
})

test('the round trip is what is left when the browser’s own delay is taken off', () => {
  const stream = new SendStream(90_000)
  const sentAtMs = 5000
  const lastSenderReport = compactNtpOf(ntpMsOf(sentAtMs))
  stream.onReportBlock(
    { ...report, lastSenderReport, delaySinceLastSenderReport: msToCompactNtp(700) },
    sentAtMs + 700 + 120,
  )
  expect(stream.roundTripMs).toBeCloseTo(120, 0)
  expect(stream.fractionLost).toBe(0.25)
})

test('reports that cannot be true change no round trip', () => {
  const stream = new SendStream(90_000)
  stream.onReportBlock({ ...report, lastSenderReport: 0, delaySinceLastSenderReport: 0 }, 100)
  expect(stream.roundTripMs).toBeNull()
  const future = compactNtpOf(ntpMsOf(50_000))
  stream.onReportBlock({ ...report, lastSenderReport: future, delaySinceLastSenderReport: 0 }, 1000)
  expect(stream.roundTripMs).toBeNull()
})

test('losses of reports are summed up by the packets that they speak of', () => {
  const stream = new SendStream(90_000)
  stream.packets = 10_000
  const told = (highestSequence: number, fractionLost: number) =>
    stream.onReportBlock(
      { ...report, highestSequence, fractionLost, lastSenderReport: 0, delaySinceLastSenderReport: 0 },
      0,
    )
  told(65_500, 0)
  told(65_600, 0.5)
  told(65_900, 0.1)
  expect([stream.reportedPackets, stream.reportedLost]).toEqual([400, 80])
  told(65_000, 1)
  told(4_000_000_000, 1)
  expect(stream.reportedPackets).toBe(400)
})
