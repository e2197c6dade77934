import type { WorkerLoad } from './channel.ts'

/** Share of the machine's processor time that media workers use of what they may: 0 is idle, 1 is all. */
export function mediaShare(loads: readonly Pick<WorkerLoad, 'cpu' | 'spareCpu'>[]): number {
  const used = loads.reduce((sum, { cpu }) => sum + cpu, 0)
  // Every worker reports what the whole machine has left.
  const spare = Math.max(0, ...loads.map(({ spareCpu }) => spareCpu))
  return used / Math.max(used + spare, 0.01)
}
