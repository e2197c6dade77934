/**
 * Notes for each try of a test how much processor time the host of a virtual machine took away (see
 * {@link stolenShare}). A test that measures real time cannot pass while the whole machine stands still, so such a try
 * may be followed by another. Two failures on a machine of its own are final.
 */
import { afterEach, beforeEach, type TestContext } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { type MachineTime, machineTime, stolenShare } from './stolen-time.ts'

/** A larger share disturbs measurements of pictures and sound. */
const DISTURBING_SHARE = 0.04
/** The share of a short time says little, because the system counts in steps of 10 ms. */
const SHORTEST_MEASURED_MS = 2000
/** Other machines are often busy for some seconds only. */
const PAUSE_MS = 10_000

declare module 'vitest' {
  interface TaskMeta {
    /** For each try: the percentage of the machine's processor time that its host took away. */
    stolenPercent?: number[]
  }
}

let before: MachineTime

beforeEach(async ({ task }: TestContext) => {
  const tries = task.meta.stolenPercent ?? []
  const own = tries.filter((percent) => percent / 100 <= DISTURBING_SHARE)
  if (own.length >= 2) throw new Error('failed twice on a machine of its own')
  before = await machineTime()
})

afterEach(async ({ task }: TestContext) => {
  const after = await machineTime()
  const share = after.totalMs - before.totalMs < SHORTEST_MEASURED_MS ? 0 : stolenShare(before, after)
  task.meta.stolenPercent = [...(task.meta.stolenPercent ?? []), Math.round(share * 100)]
  if (task.result?.state !== 'fail' || share <= DISTURBING_SHARE) return
  process.stderr.write(
    `The host took ${Math.round(share * 100)} % of the processor time away from "${task.name}".\n`,
  )
  await timePasses(PAUSE_MS, 'the host may have finished its other work')
})
