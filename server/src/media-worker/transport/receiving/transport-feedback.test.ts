import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RtcpPacketConverter, type RtcpTransportLayerFeedback, type TransportWideCC } from 'werift-rtp'
import { TransportFeedback } from './transport-feedback.ts'

/** What a feedback packet says: extended by hand, since the other side counts modulo 2^16. */
interface Decoded {
  base: number
  count: number
  /** By sequence number; null for what did not arrive. */
  arrivals: Map<number, number | null>
}

/** A decoder of its own, straight from the draft. */
function decode(packet: Buffer): Decoded {
  expect(packet[0]! & 0x1f).toBe(15)
  expect(packet[1]).toBe(205)
  expect(packet.length).toBe(4 + 4 * packet.readUInt16BE(2))
  const base = packet.readUInt16BE(12)
  const count = packet.readUInt16BE(14)
  let atMs = packet.readUIntBE(16, 3) * 64
  let offset = 20
  const symbols: number[] = []
  while (symbols.length < count) {
    const chunk = packet.readUInt16BE(offset)
    offset += 2
    if (chunk < 0x8000) {
      for (let i = 0; i < (chunk & 0x1fff); i++) symbols.push(chunk >> 13)
    } else if (chunk & 0x4000) {
      for (let i = 0; i < 7; i++) symbols.push((chunk >> (12 - 2 * i)) & 3)
    } else {
      for (let i = 0; i < 14; i++) symbols.push((chunk >> (13 - i)) & 1)
    }
  }
  const arrivals = new Map<number, number | null>()
  for (let i = 0; i < count; i++) {
    let delta: number | null = null
    if (symbols[i] === 1) delta = packet[offset++]!
    if (symbols[i] === 2) {
      delta = packet.readInt16BE(offset)
      offset += 2
    }
    if (delta !== null) atMs += delta / 4
    arrivals.set((base + i) & 0xffff, delta === null ? null : atMs)
  }
  const padding = packet[0]! & 0x20 ? packet[packet.length - 1]! : 0
  expect(offset + padding).toBe(packet.length)
  return { base, count, arrivals }
}

function takeAll(feedback: TransportFeedback): Decoded[] {
  const all: Decoded[] = []
  for (let packet = feedback.take(1, 2); packet; packet = feedback.take(1, 2)) all.push(decode(packet))
  return all
}

test('every packet is reported once, with its arrival or as missing', () => {
  const step = fc.record({
    gap: fc.constantFrom(1, 1, 1, 1, 2, 3, 30),
    waitMs: fc.constantFrom(0, 0.3, 5, 60, 200),
  })
  fc.assert(
    fc.property(
      fc.nat(0xffff),
      fc.array(step, { minLength: 1, maxLength: 600 }),
      fc.nat(40),
      (first, steps, every) => {
        const feedback = new TransportFeedback()
        const arrived = new Map<number, number>()
        const reported = new Map<number, number | null>()
        let sequence = first
        let nowMs = 1_000_000
        const report = () => {
          for (const { arrivals } of takeAll(feedback)) {
            for (const [number, atMs] of arrivals) {
              expect(reported.has(number)).toBe(false)
              reported.set(number, atMs)
            }
          }
        }
        steps.forEach(({ gap, waitMs }, index) => {
          sequence = (sequence + gap) & 0xffff
          nowMs += waitMs
          arrived.set(sequence, nowMs)
          feedback.onPacket(sequence, nowMs)
          if (index % (every + 1) === every) report()
        })
        report()
        for (const [number, atMs] of arrived)
          expect(Math.abs(reported.get(number)! - atMs)).toBeLessThanOrEqual(0.13)
        const missing = [...reported].filter(([, atMs]) => atMs === null)
        expect(reported.size - missing.length).toBe(arrived.size)
      },
    ),
    { numRuns: 60 },
  )
})

test('another implementation reads the same', () => {
  const feedback = new TransportFeedback()
  for (const [sequence, atMs] of [
    [100, 640],
    [101, 641],
    [103, 720],
    [104, 700],
    [122, 900],
  ] as const) {
    feedback.onPacket(sequence, atMs)
  }
  const [packet] = RtcpPacketConverter.deSerialize(feedback.take(1, 2)!)
  const { baseSequenceNumber, packetStatusCount, referenceTime, recvDeltas } = (
    packet as RtcpTransportLayerFeedback
  ).feedback as TransportWideCC
  expect([baseSequenceNumber, packetStatusCount, referenceTime]).toEqual([100, 23, 10])
  expect(recvDeltas.map((each) => each.delta / 1000)).toEqual([0, 1, 79, -20, 200])
})

test('a packet that comes after it was reported missing is reported again', () => {
  const feedback = new TransportFeedback()
  for (const sequence of [10, 11, 13, 14]) feedback.onPacket(sequence, sequence)
  expect(takeAll(feedback)[0]?.arrivals.get(12)).toBeNull()
  feedback.onPacket(15, 30)
  feedback.onPacket(12, 31)
  const [again] = takeAll(feedback)
  expect(again?.base).toBe(12)
  expect([...(again?.arrivals.entries() ?? [])]).toEqual([
    [12, 31],
    [13, 13],
    [14, 14],
    [15, 30],
  ])
})

test('after a long silence the packets get a reference time of their own', () => {
  const feedback = new TransportFeedback()
  feedback.onPacket(1, 1000)
  feedback.onPacket(2, 30_000)
  const [before, after] = takeAll(feedback)
  expect(before?.arrivals.get(1)).toBe(1000)
  expect(after?.arrivals.get(2)).toBe(30_000)
})

test('a sender that begins anew is followed, and nothing is said while nothing came', () => {
  const feedback = new TransportFeedback()
  expect(feedback.take(1, 2)).toBeNull()
  feedback.onPacket(100, 1)
  takeAll(feedback)
  feedback.onPacket(100 + 20_000, 2)
  expect(takeAll(feedback).map(({ base, count }) => [base, count])).toEqual([[20_100, 1]])
  expect(feedback.take(1, 2)).toBeNull()
})

test('a sender whose numbers leap cannot have longer reports than the history', () => {
  const feedback = new TransportFeedback()
  for (let i = 0; i < 2000; i++) feedback.onPacket((i * 1000) & 0xffff, i / 40)
  const startedAt = performance.now()
  const reports = takeAll(feedback)
  expect(performance.now() - startedAt).toBeLessThan(100)
  expect(reports.length).toBeLessThanOrEqual(6)
})
