import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AudioPull } from '../../media-types.ts'
import { RecentLosses } from '../recent-losses.ts'
import { AudioJitterBuffer } from './audio-jitter-buffer.ts'

interface Arrival {
  index: number
  atMs: number
}

interface Pulled {
  atMs: number
  pull: AudioPull
}

/** One packet each 20 ms, numbered in its payload. */
function simulate(
  arrivals: Arrival[],
  durationMs: number,
  {
    buffer = new AudioJitterBuffer(),
    timestampOf = (index: number) => index * 960,
    levelOf = (_: number): number | null => 20,
    pullEveryMs = 20,
  } = {},
): { pulled: Pulled[]; buffer: AudioJitterBuffer } {
  const pulled: Pulled[] = []
  const queue = [...arrivals].sort((a, b) => a.atMs - b.atMs)
  for (let nowMs = 3; nowMs < durationMs; nowMs += pullEveryMs) {
    while (queue.length > 0 && queue[0]!.atMs <= nowMs) {
      const { index, atMs } = queue.shift()!
      const payload = Buffer.alloc(40)
      payload.writeUInt32BE(index)
      buffer.push(70_000 + index, timestampOf(index) >>> 0, payload, levelOf(index), index * 20, atMs)
    }
    pulled.push({ atMs: nowMs, pull: buffer.pull(nowMs) })
  }
  return { pulled, buffer }
}

const numbersIn = (pulled: Pulled[]) =>
  pulled.flatMap(({ pull }) => (pull.kind === 'packet' ? [pull.payload.readUInt32BE()] : []))
const count = (pulled: Pulled[], kind: AudioPull['kind']) =>
  pulled.filter(({ pull }) => pull.kind === kind).length
/** From capture to pull. */
const delaysOf = (pulled: Pulled[]) =>
  pulled.flatMap(({ atMs, pull }) =>
    pull.kind === 'packet' ? [atMs - pull.payload.readUInt32BE() * 20] : [],
  )

function steady(
  packets: number,
  delayMs: (index: number) => number,
  isLost = (_: number) => false,
): Arrival[] {
  return Array.from({ length: packets }, (_, index) => ({ index, atMs: index * 20 + delayMs(index) })).filter(
    ({ index }) => !isLost(index),
  )
}

/** A sequence of numbers from 0 to 1 that looks random and is always the same. */
function noise(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('a good network', () => {
  test('plays every packet in order, soon', () => {
    const { pulled, buffer } = simulate(
      steady(500, () => 30),
      10_000,
    )
    const numbers = numbersIn(pulled)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    expect(numbers.length).toBeGreaterThan(485)
    expect(count(pulled, 'lost') + count(pulled, 'fec')).toBe(0)
    expect(buffer.targetMs).toBe(20)
    // 30 ms on the way, and the delay aimed at.
    expect(Math.max(...delaysOf(pulled).slice(100))).toBeLessThanOrEqual(30 + 20 + 50)
  })

  test('says when what is played was captured', () => {
    const { pulled } = simulate(
      steady(50, () => 30),
      900,
    )
    for (const { pull } of pulled) {
      if (pull.kind === 'packet') expect(pull.capturedAtMs).toBe(pull.payload.readUInt32BE() * 20)
    }
  })

  test('is silent before the first packet', () => {
    expect(new AudioJitterBuffer().pull(0)).toEqual({ kind: 'silence' })
  })
})

describe('jitter', () => {
  test('makes the delay grow until nearly all packets come in time', () => {
    const random = noise(1)
    const { pulled, buffer } = simulate(
      steady(3000, () => 30 + random() * 100),
      60_000,
    )
    const later = pulled.slice(1000)
    expect(buffer.targetMs).toBeGreaterThan(90)
    expect(buffer.targetMs).toBeLessThan(130)
    expect((count(later, 'lost') + count(later, 'fec')) / later.length).toBeLessThan(0.03)
    const numbers = numbersIn(pulled)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  })

  test('that is over lets the delay shrink again', () => {
    const random = noise(2)
    const { pulled } = simulate(
      steady(2500, (index) => 30 + (index < 1000 ? random() * 120 : 0)),
      50_000,
    )
    const delays = delaysOf(pulled)
    const [during, after] = [delays.slice(600, 900), delays.slice(-300)]
    expect(Math.max(...during)).toBeGreaterThan(110)
    expect(Math.max(...after)).toBeLessThan(100)
  })

  test('shrinks sooner where it is quiet', () => {
    const stall = (index: number) => (index > 300 && index < 309 ? (309 - index) * 20 + 30 : 30)
    const framesUntilShort = (level: number) => {
      const { pulled } = simulate(steady(1500, stall), 30_000, { levelOf: () => level })
      const delays = delaysOf(pulled)
      return delays.length - delays.findLastIndex((delayMs) => delayMs > 110)
    }
    expect(framesUntilShort(90)).toBeGreaterThan(framesUntilShort(20))
  })
})

describe('loss', () => {
  test('of single packets is repaired from the next one', () => {
    const { pulled } = simulate(
      steady(
        1000,
        () => 30,
        (index) => index % 20 === 10,
      ),
      20_000,
    )
    expect(count(pulled, 'fec')).toBeGreaterThan(40)
    expect(count(pulled, 'fec') + count(pulled, 'lost')).toBeLessThanOrEqual(50)
    for (const [index, { pull }] of pulled.entries()) {
      if (pull.kind !== 'fec') continue
      const after = pulled[index + 1]!.pull
      expect(after.kind === 'packet' && after.payload.equals(pull.next)).toBe(true)
    }
  })

  test('of several in a row is concealed, and then repaired from the next one', () => {
    const { pulled } = simulate(
      steady(
        400,
        () => 30,
        (index) => index >= 200 && index < 203,
      ),
      8000,
    )
    const kinds = pulled.map(({ pull }) => pull.kind).join(' ')
    expect(kinds).toMatch(/packet (lost ){2,3}(fec )?packet/)
    const numbers = numbersIn(pulled)
    expect(numbers.includes(199) && numbers.includes(203)).toBe(true)
    // What is lost takes its time, neither more nor less.
    const before = pulled.find(({ pull }) => pull.kind === 'packet' && pull.payload.readUInt32BE() === 199)!
    const after = pulled.find(({ pull }) => pull.kind === 'packet' && pull.payload.readUInt32BE() === 203)!
    expect(after.atMs - before.atMs).toBe(80)
  })

  test('repaired by retransmission raises the delay so far that the repair comes in time', () => {
    const random = noise(3)
    const arrivals = steady(3000, () => (random() < 0.08 ? 30 + 120 : 30 + random() * 5))
    const { pulled, buffer } = simulate(arrivals, 60_000)
    expect(buffer.targetMs).toBeGreaterThan(120)
    const later = pulled.slice(1500)
    expect((count(later, 'lost') + count(later, 'fec')) / later.length).toBeLessThan(0.01)
  })

  test('a delay asked for from outside is kept', () => {
    const buffer = new AudioJitterBuffer()
    buffer.leastTargetMs = 240
    const { pulled } = simulate(
      steady(1500, () => 30),
      30_000,
      { buffer },
    )
    const late = delaysOf(pulled).slice(-100)
    expect(Math.min(...late)).toBeGreaterThan(30 + 240 - 50)
    expect(Math.max(...late)).toBeLessThan(30 + 240 + 50)
  })

  test.each([
    { way: 'on a way that loses nothing', recoveredAtMs: [], most: 250 },
    { way: 'where packets are lost and come again', recoveredAtMs: [7000, 8000, 9000], most: 350 },
  ])('is waited for no longer than $most ms $way', ({ recoveredAtMs, most }) => {
    const losses = new RecentLosses()
    for (const atMs of recoveredAtMs) losses.add(atMs)
    const buffer = new AudioJitterBuffer(losses)
    simulate(
      steady(500, (index) => 30 + (index % 9) * 60),
      10_000,
      { buffer },
    )
    expect(buffer.targetMs).toBe(most)
  })

  test('never is more delayed than 500 ms for it', () => {
    const buffer = new AudioJitterBuffer()
    buffer.leastTargetMs = 900
    simulate(
      steady(500, (index) => 30 + (index % 9) * 60),
      10_000,
      { buffer },
    )
    expect(buffer.targetMs).toBe(500)
  })
})

describe('a sender that pauses', () => {
  test('is silent, not concealed, while it is muted', () => {
    const arrivals = steady(
      600,
      () => 30,
      (index) => index >= 200 && index < 400,
    )
    // A muted sender counts no packets: after the pause the numbers go on.
    const { pulled } = simulate(
      arrivals.map(({ index, atMs }) => ({ index: index < 200 ? index : index - 200, atMs })),
      12_000,
      { timestampOf: (index) => (index < 200 ? index : index + 200) * 960 },
    )
    expect(count(pulled, 'silence')).toBeGreaterThan(180)
    expect(count(pulled, 'lost')).toBeLessThanOrEqual(6)
    expect(numbersIn(pulled).length).toBeGreaterThan(395)
  })

  test('between words (DTX) keeps its rhythm', () => {
    // One packet each 400 ms, as Opus sends in silence.
    const arrivals = steady(40, (index) => index * 380 + 30)
    const { pulled } = simulate(arrivals, 16_000, { timestampOf: (index) => index * 960 * 20 })
    const played = pulled.filter(({ pull }) => pull.kind === 'packet')
    expect(played.length).toBeGreaterThan(37)
    for (const [index, { atMs }] of played.entries()) {
      // The delay is adapted to what was measured after the first ten packets.
      if (index > 10) expect(Math.abs(atMs - played[index - 1]!.atMs - 400)).toBeLessThanOrEqual(20)
    }
  })
})

describe('clocks', () => {
  test.each([300, -300])('that differ by %i ppm neither starve nor drown it', (ppm) => {
    const packets = 15_000
    const arrivals = Array.from({ length: packets }, (_, index) => ({
      index,
      atMs: index * 20 * (1 + ppm / 1e6) + 30,
    }))
    const { pulled } = simulate(arrivals, packets * 20)
    const late = pulled.slice(-500)
    const delays = late.flatMap(({ atMs, pull }) =>
      pull.kind === 'packet' ? [atMs - pull.payload.readUInt32BE() * 20 * (1 + ppm / 1e6)] : [],
    )
    expect(Math.max(...delays)).toBeLessThan(30 + 20 + 70)
    // 300 ppm are one packet in 66 s.
    expect(count(pulled, 'lost')).toBeLessThan(20)
    expect(numbersIn(pulled).length).toBeGreaterThan(packets - 30)
  })

  test('that jump are followed', () => {
    const { pulled } = simulate(
      steady(600, () => 30),
      12_000,
      {
        timestampOf: (index) => (index < 300 ? index * 960 : 3_000_000_000 + index * 960),
      },
    )
    expect(numbersIn(pulled).length).toBeGreaterThan(585)
  })

  test('that wrap are no jump', () => {
    const { pulled } = simulate(
      steady(600, () => 30),
      12_000,
      {
        timestampOf: (index) => 2 ** 32 - 300 * 960 + index * 960,
      },
    )
    expect(numbersIn(pulled).length).toBeGreaterThan(590)
    expect(count(pulled, 'lost')).toBe(0)
  })
})

test('a stall of the whole network is caught up with', () => {
  const { pulled } = simulate(
    steady(1000, (index) => (index >= 300 && index < 350 ? (350 - index) * 20 + 30 : 30)),
    20_000,
  )
  expect(Math.max(...delaysOf(pulled).slice(-100))).toBeLessThan(150)
})

test('whatever comes whenever, each packet is played at most once and in order, and nothing throws', () => {
  const arrival = fc.record({ index: fc.nat(300), atMs: fc.nat(8000), timestamp: fc.nat(0xffff_ffff) })
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 200 }), fc.boolean(), (arrivals, wild) => {
      const once = new Map(arrivals.map((each) => [each.index, each]))
      const { pulled } = simulate([...once.values()], 9000, {
        timestampOf: (index) => (wild ? once.get(index)!.timestamp : index * 960),
      })
      const numbers = numbersIn(pulled)
      expect(new Set(numbers).size).toBe(numbers.length)
    }),
    { numRuns: 300 },
  )
})
