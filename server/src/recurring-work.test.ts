import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { RecurringWork } from './recurring-work.ts'
import { ManualClock } from './testing/simulation/manual-clock.ts'

let clock: ManualClock
/** Ends the work that is under way, with the pause until the next time. */
let endWork: ((pauseMs: number) => void)[]
let work: RecurringWork

beforeEach(() => {
  clock = new ManualClock(async () => {})
  endWork = []
  work = new RecurringWork(
    { clock, log: pino({ level: 'silent' }) },
    () => new Promise((resolve) => endWork.push(resolve)),
  )
})

const begun = () => endWork.length

/** Ends the latest work, and lets what follows from that happen. */
async function end(pauseMs: number): Promise<void> {
  endWork.at(-1)?.(pauseMs)
  await Promise.resolve()
  await Promise.resolve()
}

test('works after the first delay, and after each pause that the work names', async () => {
  work.start(100)
  work.start(1)
  await clock.advance(99)
  expect(begun()).toBe(0)
  await clock.advance(1)
  expect(begun()).toBe(1)
  await clock.advance(10_000)
  expect(begun()).toBe(1)
  await end(500)
  await clock.advance(499)
  expect(begun()).toBe(1)
  await clock.advance(1)
  expect(begun()).toBe(2)
})

test('is woken at once, or once more after the present time, but not before the start', async () => {
  work.wake()
  await clock.advance(1)
  expect(begun()).toBe(0)
  work.start(100)
  work.wake()
  await clock.advance(0)
  expect(begun()).toBe(1)
  work.wake()
  work.wake()
  await end(500)
  await clock.advance(0)
  expect(begun()).toBe(2)
  await end(500)
  await clock.advance(499)
  expect(begun()).toBe(2)
})

test('waits for the work that is under way when it is stopped, and works no more', async () => {
  work.start(0)
  await clock.advance(0)
  let isStopped = false
  const stopped = work.stop().then(() => {
    isStopped = true
  })
  await Promise.resolve()
  expect(work.isStopped).toBe(true)
  expect(isStopped).toBe(false)
  await end(0)
  await stopped
  work.start(0)
  work.wake()
  await clock.advance(10_000)
  expect(begun()).toBe(1)
})

test('goes on after a fault in the work', async () => {
  let times = 0
  const options = { clock, log: pino({ level: 'silent' }) }
  const faulty = new RecurringWork(options, async () => {
    if (++times === 1) throw new Error('nobody thought of this')
    return 100
  })
  faulty.start(0)
  await clock.advance(0)
  expect(times).toBe(1)
  await clock.advance(60_000)
  expect(times).toBe(2)
  await clock.advance(100)
  expect(times).toBe(3)
  await faulty.stop()
})
