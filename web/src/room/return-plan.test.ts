import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginReturn, giveUpAfterMs, nextReturn, type ReturnEvent, type ReturnPlan } from './return-plan.ts'

const text = { title: 'The server did not answer', hint: 'Wait.' }
const away = { retry: true, text }
const refused = { retry: false, text }
const chance = fc.double({ min: 0, max: 1, noNaN: true })

const failed = (plan: ReturnPlan, nowMs: number, failure = away, random = 0.5) =>
  nextReturn(plan, { kind: 'failed', failure, nowMs, random })

test('two people are back at once, and three hundred do not come in the same second', () => {
  const first = (people: number, random: number) => beginReturn({ nowMs: 0, random, people }).tryAtMs
  expect(first(2, 1)).toBeLessThanOrEqual(60)
  const times = Array.from({ length: 300 }, (_, i) => first(300, i / 300))
  const busiest = Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length),
  )
  expect(busiest).toBeLessThanOrEqual(34)
  expect(Math.max(...times)).toBeLessThanOrEqual(10_000)
})

test('an attempt begins when its time has come, not before', () => {
  const plan = { ...beginReturn({ nowMs: 0, random: 0, people: 2 }), tryAtMs: 100 }
  expect(nextReturn(plan, { kind: 'time', nowMs: 99 })).toBe(plan)
  expect(nextReturn(plan, { kind: 'time', nowMs: 100 })).toMatchObject({ is: 'trying', attempts: 1 })
})

test('each failed attempt is followed by a longer wait, which the person can cut short', () => {
  let plan: ReturnPlan = beginReturn({ nowMs: 0, random: 0, people: 2 })
  const waits: number[] = []
  for (let i = 0; i < 8; i++) {
    plan = failed(nextReturn(plan, { kind: 'join-now', nowMs: 0 }), 0)
    expect(plan).toMatchObject({ is: 'waiting', problem: text })
    if (plan.is === 'waiting') waits.push(plan.tryAtMs)
  }
  expect(waits).toEqual([...waits].sort((a, b) => a - b))
  expect(waits[0]).toBeLessThan(600)
  expect(waits.at(-1)).toBeLessThanOrEqual(10_000)
})

test('a refusal ends it at once; trouble ends it after five minutes; the button begins anew', () => {
  const trying = nextReturn(beginReturn({ nowMs: 0, random: 0, people: 2 }), { kind: 'time', nowMs: 0 })
  expect(failed(trying, 1, refused)).toMatchObject({ is: 'stopped', problem: text })
  expect(failed(trying, giveUpAfterMs - 1)).toMatchObject({ is: 'waiting' })
  const stopped = failed(trying, giveUpAfterMs)
  expect(stopped).toMatchObject({ is: 'stopped' })
  const again = nextReturn(stopped, { kind: 'join-now', nowMs: giveUpAfterMs })
  expect(again).toMatchObject({ is: 'trying', attempts: 1, beganAtMs: giveUpAfterMs })
  expect(failed(again, giveUpAfterMs + 1)).toMatchObject({ is: 'waiting' })
})

test('a network that is back cuts the wait short, and never makes it longer', () => {
  const plan = { ...beginReturn({ nowMs: 0, random: 0, people: 2 }), tryAtMs: 9_000 }
  expect(nextReturn(plan, { kind: 'online', nowMs: 1_000, random: 1 })).toMatchObject({ tryAtMs: 1_500 })
  expect(nextReturn(plan, { kind: 'online', nowMs: 8_900, random: 1 })).toMatchObject({ tryAtMs: 9_000 })
})

test('whatever happens, there is never more than one attempt at a time, and waits stay short', () => {
  const event: fc.Arbitrary<ReturnEvent> = fc.oneof(
    fc.record({ kind: fc.constantFrom('time', 'join-now'), nowMs: fc.nat(600_000) }),
    fc.record({ kind: fc.constant('online' as const), nowMs: fc.nat(600_000), random: chance }),
    fc.record({
      kind: fc.constant('failed' as const),
      failure: fc.constantFrom(away, refused),
      nowMs: fc.nat(600_000),
      random: chance,
    }),
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), fc.nat(2_000), chance, (events, people, random) => {
      let plan: ReturnPlan = beginReturn({ nowMs: 0, random, people })
      let [nowMs, running] = [0, 0]
      for (const one of events) {
        nowMs = Math.max(nowMs, one.nowMs)
        const before = plan
        plan = nextReturn(plan, { ...one, nowMs })
        if (plan.is === 'trying' && before.is !== 'trying') running++
        if (plan.is !== 'trying' && before.is === 'trying') running--
        expect(running).toBe(plan.is === 'trying' ? 1 : 0)
        if (plan.is === 'waiting') expect(plan.tryAtMs - nowMs).toBeLessThanOrEqual(10_000)
        if (before.is === 'stopped') expect(plan.is).toBe(one.kind === 'join-now' ? 'trying' : 'stopped')
      }
    }),
  )
})
