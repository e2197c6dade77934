import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OVERLOAD_STEPS } from '../../resources/overload-steps.ts'
import { OverloadLadder } from './ladder.ts'
import { roomLimits } from './room-limits.ts'

const strained = { picturesLeftOut: 0.3, loopDelayMs: 5, spareCpu: 0 }
const late = { picturesLeftOut: 0, loopDelayMs: 60, spareCpu: 1 }
const busy = { picturesLeftOut: 0.02, loopDelayMs: 5, spareCpu: 0.1 }
const calm = { picturesLeftOut: 0, loopDelayMs: 1, spareCpu: 1 }

/** Reports until the step changes. */
function reportsToChange(ladder: OverloadLadder, strain: typeof calm, most = 1000): number {
  for (let reports = 1; reports <= most; reports++) if (ladder.report(strain)) return reports
  return Number.POSITIVE_INFINITY
}

test('takes all steps in order under strain, and undoes them in reverse when it is calm', () => {
  const ladder = new OverloadLadder()
  const up: string[] = [ladder.step]
  while (reportsToChange(ladder, up.length % 2 ? strained : late, 3) === 3) up.push(ladder.step)
  expect(up).toEqual(OVERLOAD_STEPS)
  const down: string[] = [ladder.step]
  while (reportsToChange(ladder, calm, 10) === 10) down.push(ladder.step)
  expect(down).toEqual(OVERLOAD_STEPS.toReversed())
})

test('a moment of strain changes nothing, nor does a busy machine undo anything', () => {
  const ladder = new OverloadLadder()
  for (let second = 0; second < 100; second++) ladder.report(second % 3 === 0 ? calm : strained)
  expect(ladder.step).toBe('none')
  reportsToChange(ladder, strained)
  expect(reportsToChange(ladder, busy)).toBe(Number.POSITIVE_INFINITY)
  expect(ladder.step).toBe('still-rooms')
})

test('a step that is needed again at once is undone ever more slowly', () => {
  const ladder = new OverloadLadder()
  reportsToChange(ladder, strained)
  const waits = Array.from({ length: 7 }, () => {
    const reports = reportsToChange(ladder, calm)
    reportsToChange(ladder, strained)
    return reports
  })
  expect(waits).toEqual([10, 20, 40, 80, 160, 300, 300])
  // What holds is proof.
  reportsToChange(ladder, calm)
  for (let second = 0; second < 40; second++) ladder.report(busy)
  reportsToChange(ladder, strained)
  expect(reportsToChange(ladder, calm)).toBe(10)
})

test('goes no further than the operator allows', () => {
  const ladder = new OverloadLadder('small-cameras')
  for (let second = 0; second < 100; second++) ladder.report(strained)
  expect(ladder.step).toBe('small-cameras')
  const off = new OverloadLadder('none')
  for (let second = 0; second < 100; second++) expect(off.report(strained)).toBe(false)
})

test('each report moves by one step at most, whatever comes', () => {
  const strain = fc.record({
    picturesLeftOut: fc.double({ min: 0, max: 1 }),
    loopDelayMs: fc.double({ min: 0, max: 1e4 }),
    spareCpu: fc.double({ min: -1, max: 64 }),
  })
  fc.assert(
    fc.property(fc.array(strain, { maxLength: 300 }), (reports) => {
      const ladder = new OverloadLadder()
      for (const report of reports) {
        const before = OVERLOAD_STEPS.indexOf(ladder.step)
        const changed = ladder.report(report)
        expect(Math.abs(OVERLOAD_STEPS.indexOf(ladder.step) - before)).toBe(changed ? 1 : 0)
      }
    }),
  )
})

test('no step lets a room spend more than the one before', () => {
  for (const fps of [20, 30]) {
    const limits = OVERLOAD_STEPS.map((step) => roomLimits(step, fps))
    for (const [index, more] of limits.slice(1).entries()) {
      const less = limits[index]!
      expect(more.fps).toBeLessThanOrEqual(less.fps)
      expect(more.stillIntervalMs).toBeGreaterThanOrEqual(less.stillIntervalMs)
      expect(Number(more.isFast)).toBeGreaterThanOrEqual(Number(less.isFast))
      expect(Number(more.hasSmallCameras)).toBeGreaterThanOrEqual(Number(less.hasSmallCameras))
    }
    expect(limits[0]).toEqual({ fps, isFast: false, stillIntervalMs: 500, hasSmallCameras: false })
  }
})
