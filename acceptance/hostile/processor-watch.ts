import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from '../testing/server-process.ts'
import { StolenTimeWatch } from '../testing/stolen-time.ts'

const LOOK_INTERVAL_MS = 50

/** Processor time of one thread since it started, in milliseconds. */
interface Share {
  ranMs: number
  /** How long it was ready to run while others ran. */
  waitedMs: number
}

/** Of the threads of one process, by their ids. The one with the id of the process runs its event loop. */
type Shares = ReadonlyMap<number, Share>

interface Look {
  atMs: number
  processes: Map<string, Shares>
}

const NOTHING: Share = { ranMs: 0, waitedMs: 0 }

async function shareOf(pid: number, thread: number): Promise<Share> {
  const file = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
  const [ranNs = 0, waitedNs = 0] = file.split(' ').map(Number)
  return { ranMs: ranNs / 1e6, waitedMs: waitedNs / 1e6 }
}

/** Threads that end meanwhile are left out. */
async function sharesOf(pid: number): Promise<Shares> {
  const threads = (await readdir(`/proc/${pid}/task`)).map(Number)
  const shares = await Promise.all(
    threads.map(async (thread) => [thread, await shareOf(pid, thread).catch(() => NOTHING)] as const),
  )
  return new Map(shares)
}

/** Records how much processor time a server's threads get. This tells a busy machine from a busy server. */
export class ProcessorWatch {
  readonly #pids: ReadonlyMap<string, number>
  readonly #looks: Look[] = []
  readonly #stop = new AbortController()
  readonly #stolen = new StolenTimeWatch()
  readonly #watching: Promise<void>

  private constructor(pids: ReadonlyMap<string, number>) {
    this.#pids = pids
    this.#watching = this.#watch()
  }

  /** Begins to watch the server's main process and its media workers. */
  static async begin(server: ServerProcess): Promise<ProcessorWatch> {
    const workers = await server.mediaWorkers()
    const pids = workers.map(({ pid }, index) => [`media worker ${index + 1}`, pid] as const)
    return new ProcessorWatch(new Map([['main process', server.pid], ...pids]))
  }

  async #watch(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#look()
      await delay(LOOK_INTERVAL_MS, undefined, { signal: this.#stop.signal }).catch(() => {})
    }
    await this.#look()
  }

  async #look(): Promise<void> {
    const processes = new Map<string, Shares>()
    for (const [name, pid] of this.#pids) {
      const shares = await sharesOf(pid).catch(() => null)
      if (shares !== null) processes.set(name, shares)
    }
    this.#looks.push({ atMs: Date.now(), processes })
  }

  /** Ends the watch with one last sample. */
  async end(): Promise<void> {
    this.#stop.abort()
    await Promise.all([this.#watching, this.#stolen.end()])
  }

  /** Time in milliseconds that the machine's host gave to others between two times, summed over the processors. */
  stolenMs(fromMs: number, toMs: number): number {
    return this.#stolen.between(fromMs, toMs)
  }

  /**
   * How long a picture had to wait because other programs had the processors, in milliseconds: it passes the event loop of a
   * media worker and one of its threads. Waiting for what the server itself ran does not count.
   */
  heldUpMs(fromMs: number, toMs: number): number {
    const { processes } = this.#between(fromMs, toMs)
    const ran = (shares: Shares) => [...shares.values()].reduce((sum, { ranMs }) => sum + ranMs, 0)
    const serverRanMs = [...processes.values()].reduce((sum, shares) => sum + ran(shares), 0)
    const waits = [...processes].map(([name, shares]) => {
      const heldUp = ([, { ranMs, waitedMs }]: [number, Share]) =>
        Math.max(0, waitedMs - (serverRanMs - ranMs))
      const isLoop = ([thread]: [number, Share]) => thread === this.#pids.get(name)
      const loop = [...shares].filter(isLoop).map(heldUp)
      const others = [...shares].filter((one) => !isLoop(one)).map(heldUp)
      return Math.max(0, ...loop) + Math.max(0, ...others)
    })
    return Math.min(toMs - fromMs, Math.max(0, ...waits))
  }

  /** Describes the processor time of the server's event loops between two times (Unix milliseconds). */
  between(fromMs: number, toMs: number): string {
    const { spanMs, processes, lateMs } = this.#between(fromMs, toMs)
    const words = [...processes].map(([name, shares]) => {
      const { ranMs, waitedMs } = shares.get(this.#pids.get(name) ?? 0) ?? NOTHING
      return `${name} ran ${ranMs.toFixed()} ms and waited ${waitedMs.toFixed()} ms for a processor`
    })
    const stolen = `the host gave ${this.stolenMs(fromMs, toMs)} ms to other machines`
    const heldUp = `other programs held it up for ${this.heldUpMs(fromMs, toMs).toFixed()} ms`
    return `in ${spanMs} ms ${stolen}, ${heldUp}, ${words.join(', ')}; the test itself came up to ${lateMs} ms late`
  }

  /** What each thread got from the last look before a time to the first one after another. */
  #between(fromMs: number, toMs: number): { spanMs: number; processes: Map<string, Shares>; lateMs: number } {
    const first = this.#looks.findLast(({ atMs }) => atMs <= fromMs) ?? this.#looks[0]
    const last = this.#looks.find(({ atMs }) => atMs >= toMs) ?? this.#looks.at(-1)
    if (first === undefined || last === undefined) throw new Error('nobody looked')
    const processes = [...last.processes].map(([name, shares]) => {
      const got = [...shares].map(([thread, { ranMs, waitedMs }]) => {
        const before = first.processes.get(name)?.get(thread) ?? NOTHING
        return [thread, { ranMs: ranMs - before.ranMs, waitedMs: waitedMs - before.waitedMs }] as const
      })
      return [name, new Map(got)] as const
    })
    const looks = this.#looks.filter(({ atMs }) => atMs >= first.atMs && atMs <= last.atMs)
    const pauses = looks.slice(1).map(({ atMs }, index) => atMs - (looks[index]?.atMs ?? atMs))
    const lateMs = Math.max(0, Math.max(0, ...pauses) - LOOK_INTERVAL_MS)
    return { spanMs: last.atMs - first.atMs, processes: new Map(processes), lateMs }
  }
}
