import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** proc_stat(5) counts in units of 1/100 s on every Linux system. */
const TICK_MS = 10
/** Position of `steal` among the counters of a processor. The two after it are contained in earlier ones. */
const STEAL = 7
const LOOK_INTERVAL_MS = 50

/** Processor time of the whole machine since it started, in milliseconds, summed over its processors. */
export interface MachineTime {
  /** Time that passed, busy or idle. */
  totalMs: number
  /** Time in which the machine was ready to run, and its host ran other machines instead. 0 on a physical machine. */
  stolenMs: number
}

/** Reads the machine's processor time (proc_stat(5)). */
export async function machineTime(): Promise<MachineTime> {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n', 1)
  const ticks = line
    .split(/\s+/)
    .slice(1, STEAL + 2)
    .map(Number)
  const total = ticks.reduce((sum, count) => sum + count, 0)
  return { totalMs: total * TICK_MS, stolenMs: (ticks[STEAL] ?? 0) * TICK_MS }
}

/** Share of the machine's processors that its host gave to other machines between two readings, 0 to 1. */
export function stolenShare(before: MachineTime, after: MachineTime): number {
  const totalMs = after.totalMs - before.totalMs
  return totalMs === 0 ? 0 : (after.stolenMs - before.stolenMs) / totalMs
}

/** Records when a virtual machine's host ran other machines. No program can use time that its machine did not get. */
export class StolenTimeWatch {
  readonly #looks: { atMs: number; stolenMs: number }[] = []
  readonly #stop = new AbortController()
  readonly #watching = this.#watch()

  async #watch(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#look()
      await delay(LOOK_INTERVAL_MS, undefined, { signal: this.#stop.signal }).catch(() => {})
    }
    await this.#look()
  }

  async #look(): Promise<void> {
    const { stolenMs } = await machineTime()
    this.#looks.push({ atMs: Date.now(), stolenMs })
  }

  /** Ends the watch with one last sample. */
  async end(): Promise<void> {
    this.#stop.abort()
    await this.#watching
  }

  /** Stolen milliseconds between two times (Unix milliseconds), summed over the processors. */
  between(fromMs: number, toMs: number): number {
    const first = this.#looks.findLast(({ atMs }) => atMs <= fromMs) ?? this.#looks[0]
    const last = this.#looks.find(({ atMs }) => atMs >= toMs) ?? this.#looks.at(-1)
    return (last?.stolenMs ?? 0) - (first?.stolenMs ?? 0)
  }
}
