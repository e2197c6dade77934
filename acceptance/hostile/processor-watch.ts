import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from '../testing/server-process.ts'
import { StolenTimeWatch } from '../testing/stolen-time.ts'

const LOOK_INTERVAL_MS = 50

/** Processor time of the main thread of one process since it started, in milliseconds. */
interface Share {
  ranMs: number
  /** How long the thread was ready to run while others ran. */
  waitedMs: number
}

interface Look {
  atMs: number
  shares: Map<string, Share>
}

async function shareOf(pid: number): Promise<Share> {
  const [ranNs = 0, waitedNs = 0] = (await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ').map(Number)
  return { ranMs: ranNs / 1e6, waitedMs: waitedNs / 1e6 }
}

/** Records how much processor time a server's event loops get. This tells a busy machine from a busy server. */
export class ProcessorWatch {
  readonly #looks: Look[] = []
  readonly #stop = new AbortController()
  readonly #stolen = new StolenTimeWatch()
  readonly #watching: Promise<void>

  private constructor(pids: ReadonlyMap<string, number>) {
    this.#watching = this.#watch(pids)
  }

  /** Begins to watch the server's main process and its media workers. */
  static async begin(server: ServerProcess): Promise<ProcessorWatch> {
    const workers = await server.mediaWorkers()
    const pids = workers.map(({ pid }, index) => [`media worker ${index + 1}`, pid] as const)
    return new ProcessorWatch(new Map([['main process', server.pid], ...pids]))
  }

  async #watch(pids: ReadonlyMap<string, number>): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#look(pids)
      await delay(LOOK_INTERVAL_MS, undefined, { signal: this.#stop.signal }).catch(() => {})
    }
    await this.#look(pids)
  }

  async #look(pids: ReadonlyMap<string, number>): Promise<void> {
    const shares = new Map<string, Share>()
    for (const [name, pid] of pids) {
      const share = await shareOf(pid).catch(() => null)
      if (share !== null) shares.set(name, share)
    }
    this.#looks.push({ atMs: Date.now(), shares })
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

  /** Describes the processor time of the server's event loops between two times (Unix milliseconds). */
  between(fromMs: number, toMs: number): string {
    const first = this.#looks.findLast(({ atMs }) => atMs <= fromMs) ?? this.#looks[0]
    const last = this.#looks.find(({ atMs }) => atMs >= toMs) ?? this.#looks.at(-1)
    if (first === undefined || last === undefined) return 'nobody looked'
    const words = [...last.shares].map(([name, { ranMs, waitedMs }]) => {
      const before = first.shares.get(name) ?? { ranMs: 0, waitedMs: 0 }
      const [ran, waited] = [ranMs - before.ranMs, waitedMs - before.waitedMs]
      return `${name} ran ${ran.toFixed()} ms and waited ${waited.toFixed()} ms for a processor`
    })
    const looks = this.#looks.filter(({ atMs }) => atMs >= first.atMs && atMs <= last.atMs)
    const pauses = looks.slice(1).map(({ atMs }, index) => atMs - (looks[index]?.atMs ?? atMs))
    const late = Math.max(0, ...pauses) - LOOK_INTERVAL_MS
    const stolen = `the host gave ${this.stolenMs(fromMs, toMs)} ms to other machines`
    return `in ${last.atMs - first.atMs} ms ${stolen}, ${words.join(', ')}; the test itself came up to ${Math.max(0, late)} ms late`
  }
}
