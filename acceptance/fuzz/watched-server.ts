import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Participant } from '../testing/participant.ts'
import type { Deployment } from '../testing/use-deployment.ts'
import { LONGEST_ANSWER_MS } from './room-client.ts'

const LOOK_INTERVAL_MS = 200
/** Limit for the growth of the processes' memory in MiB. Includes garbage that is not collected yet. */
const GROWTH_LIMIT_MIB = 400

async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** The state of a server and its processes before an attack, to compare with the state after it. */
export class WatchedServer {
  readonly #deployment: Deployment
  readonly #bystander: Participant
  readonly #pids: readonly number[]
  readonly #mib: number
  readonly #mark: number
  readonly #stop = new AbortController()
  readonly #watching: Promise<void>
  #failed = 0
  slowestMs = 0

  private constructor(deployment: Deployment, bystander: Participant, pids: readonly number[], mib: number) {
    this.#deployment = deployment
    this.#bystander = bystander
    this.#pids = pids
    this.#mib = mib
    this.#mark = bystander.events.mark()
    this.#watching = this.#watch()
  }

  /** @param bystander a participant in another room */
  static async begin(deployment: Deployment, bystander: Participant): Promise<WatchedServer> {
    const pids = await deployment.server.allPids()
    return new WatchedServer(deployment, bystander, pids, await WatchedServer.#mibOf(pids))
  }

  static async #mibOf(pids: readonly number[]): Promise<number> {
    return (await Promise.all(pids.map(residentMib))).reduce((sum, mib) => sum + mib, 0)
  }

  async #watch(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const startedAt = performance.now()
      const status = await this.#deployment.server.readyStatus()
      if (status !== 200) this.#failed++
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt)
      await delay(LOOK_INTERVAL_MS, undefined, { signal: this.#stop.signal }).catch(() => {})
    }
  }

  /**
   * Compares the state after the attack.
   * @returns how much more memory is in use, in MiB
   * @throws AssertionError if a process was replaced, a member was removed, or something took too much time or memory
   */
  async end(): Promise<number> {
    this.#stop.abort()
    await this.#watching
    const { server } = this.#deployment
    expect(await server.allPids(), `the processes\n${server.logTail(30)}`).toEqual(this.#pids)
    expect(this.#failed, 'health checks that failed').toBe(0)
    expect(this.slowestMs, 'slowest health check').toBeLessThan(LONGEST_ANSWER_MS)
    await this.#bystander.moreFrames(10)
    expect(this.#bystander.events.all('room.left', this.#mark), 'another room goes on').toEqual([])
    const grownMib = (await WatchedServer.#mibOf(this.#pids)) - this.#mib
    expect(grownMib, 'growth in MiB').toBeLessThan(GROWTH_LIMIT_MIB)
    return grownMib
  }
}
