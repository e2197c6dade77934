import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ReceiveStream, type ReceiveStreamEvents } from './receive-stream.ts'

const ROUND_TRIP_MS = 100

function streamOf(sequences: readonly number[], events: ReceiveStreamEvents = {}) {
  const stream = new ReceiveStream(7, 90_000, 700, events)
  const extended = sequences.map((sequence, index) =>
    stream.onPacket(sequence, index * 3000, index * 33, false),
  )
  return { stream, extended }
}

function nacksAt(stream: ReceiveStream, nowMs: number): number[] {
  const into: number[] = []
  stream.collectNacks(nowMs, ROUND_TRIP_MS, into)
  return into
}

describe('sequence numbers', () => {
  test('go on over the wrap, late and early, each packet once', () => {
    const { extended } = streamOf([65_534, 0, 65_535, 1, 0, 1])
    const base = extended[0]!
    expect(extended.map((each) => (each < 0 ? each : each - base))).toEqual([0, 2, 1, 3, -1, -1])
  })

  test('one stray packet changes nothing, two in a row are a new beginning', () => {
    let restarts = 0
    const { stream } = streamOf([100, 101, 102], { onRestart: () => restarts++ })
    expect(stream.onPacket(40_000, 0, 100, false)).toBe(-1)
    expect(stream.onPacket(103, 0, 120, false)).toBeGreaterThan(0)
    expect(restarts).toBe(0)
    expect(stream.onPacket(50_000, 0, 130, false)).toBe(-1)
    expect(stream.onPacket(50_001, 0, 140, false)).toBeGreaterThan(0)
    expect(restarts).toBe(1)
    expect(stream.onPacket(50_002, 0, 150, false)).toBeGreaterThan(0)
  })

  test('any order of arrival with duplicates gives each packet exactly once', () => {
    fc.assert(
      fc.property(
        fc.nat(0xffff),
        fc.array(fc.nat(200), { minLength: 1, maxLength: 300 }),
        (first, offsets) => {
          const stream = new ReceiveStream(1, 90_000, 700)
          const seen = new Map<number, number>()
          const start = stream.onPacket(first, 0, 0, false)
          offsets.forEach((offset, index) => {
            const extended = stream.onPacket((first + offset) & 0xffff, 0, index, false)
            if (extended < 0) return
            expect(extended - start).toBe(offset)
            expect(seen.has(offset)).toBe(false)
            seen.set(offset, extended)
          })
          expect(seen.size).toBe(new Set(offsets.filter((offset) => offset > 0)).size)
        },
      ),
    )
  })
})

describe('missing packets', () => {
  test('are asked for at once, and again and again until they come', () => {
    const { stream } = streamOf([10, 13])
    const start = 33
    expect(stream.hasNewGap).toBe(true)
    expect(nacksAt(stream, start)).toEqual([11, 12])
    expect(nacksAt(stream, start + 10)).toEqual([])
    expect(nacksAt(stream, start + 25)).toEqual([11, 12])
    expect(nacksAt(stream, start + 40)).toEqual([])
    expect(nacksAt(stream, start + 50)).toEqual([11, 12])
  })

  test('are asked for less often where the answer takes no time', () => {
    const { stream } = streamOf([10, 12])
    const nacks: number[] = []
    for (const [atMs, count] of [
      [33, 1],
      [80, 0],
      [83, 1],
    ] as const) {
      nacks.length = 0
      stream.collectNacks(atMs, 10, nacks)
      expect(nacks.length).toBe(count)
    }
  })

  test('that come are asked for no more', () => {
    let recoveries = 0
    const { stream } = streamOf([10, 13], { onRecovered: () => recoveries++ })
    nacksAt(stream, 33)
    expect(stream.onPacket(11, 0, 153, true)).toBeGreaterThan(0)
    expect(stream.hasNewGap).toBe(false)
    expect(nacksAt(stream, 500)).toEqual([12])
    expect(recoveries).toBe(1)
    expect(stream.recovered).toBe(1)
  })

  test('are waited for where packets overtake each other, and asked for at once again where they do not', () => {
    const { stream } = streamOf([0])
    const swapped = (from: number, count: number) => {
      for (let sequence = from; sequence < from + 2 * count; sequence += 2) {
        stream.onPacket(sequence + 1, 0, sequence * 10, false)
        stream.onPacket(sequence, 0, sequence * 10 + 15, false)
      }
    }
    swapped(1, 20)
    stream.onPacket(42, 0, 500, false)
    expect(nacksAt(stream, 500)).toEqual([])
    expect(nacksAt(stream, 520)).toEqual([41])
    stream.onPacket(41, 0, 600, true)
    for (let sequence = 43; sequence < 100; sequence += 2) {
      stream.onPacket(sequence + 1, 0, sequence * 20, false)
      nacksAt(stream, sequence * 20 + 70)
      stream.onPacket(sequence, 0, sequence * 20 + 100, true)
    }
    stream.onPacket(102, 0, 5000, false)
    expect(nacksAt(stream, 5000)).toEqual([101])
  })

  test('are given up when they would come too late', () => {
    const abandoned: number[] = []
    const { stream } = streamOf([10, 12], { onAbandoned: (extended) => abandoned.push(extended & 0xffff) })
    for (let nowMs = 33; nowMs < 700; nowMs += 10) nacksAt(stream, nowMs)
    expect(abandoned).toEqual([])
    nacksAt(stream, 33 + 701)
    expect(abandoned).toEqual([11])
    expect(stream.lost).toBe(1)
    expect(stream.onPacket(11, 0, 800, true)).toBe(-1)
  })

  test('in a hole too large to repair are given up at once', () => {
    const { stream } = streamOf([10, 1000])
    expect(stream.lost).toBe(989)
    expect(nacksAt(stream, 40)).toEqual([])
  })

  test('in one large hole after the other cost next to nothing', () => {
    const abandoned: number[] = []
    const { stream } = streamOf([10], { onAbandoned: (extended) => abandoned.push(extended) })
    for (let i = 1; i <= 100; i++) stream.onPacket((10 + i * 3000) & 0xffff, 0, 40, false)
    expect(stream.lost).toBe(100 * 2999)
    expect(abandoned.length).toBe(100)
  })
})

describe('report blocks', () => {
  test('tell the loss of the network, not how well it was repaired', () => {
    const { stream } = streamOf([1, 2, 3, 4, 7, 8])
    nacksAt(stream, 200)
    stream.onPacket(5, 0, 300, true)
    const block = stream.reportBlock(1000)
    expect(block.ssrc).toBe(7)
    expect(block.cumulativeLost).toBe(2)
    expect(block.fractionLost).toBe(64)
    expect(block.extendedHighestSequence).toBe(8)
    expect(stream.reportBlock(1001)).toMatchObject({ fractionLost: 0, cumulativeLost: 2 })
  })

  test('count reordered packets as received', () => {
    const { stream } = streamOf([1, 3, 2])
    expect(stream.reportBlock(100)).toMatchObject({ fractionLost: 0, cumulativeLost: 0 })
  })

  test('measure jitter as RFC 3550 does, without retransmissions', () => {
    const stream = new ReceiveStream(1, 1000, 700)
    let jitter = 0
    let lastTransit: number | null = null
    for (let i = 0; i < 200; i++) {
      const arrivedAtMs = i * 20 + (i % 5) * 4
      const transit = arrivedAtMs - i * 20
      if (lastTransit !== null) jitter += (Math.abs(transit - lastTransit) - jitter) / 16
      lastTransit = transit
      stream.onPacket(i, i * 20, arrivedAtMs, false)
    }
    expect(stream.reportBlock(5000).jitter).toBeCloseTo(jitter, 5)
  })

  test('carry the last sender report and its age', () => {
    const { stream } = streamOf([1])
    expect(stream.reportBlock(10)).toMatchObject({ lastSenderReport: 0, delaySinceLastSenderReport: 0 })
    stream.onSenderReport(0xabcd_0000, 1000)
    expect(stream.reportBlock(1500)).toMatchObject({
      lastSenderReport: 0xabcd_0000,
      delaySinceLastSenderReport: 32_768,
    })
  })
})
