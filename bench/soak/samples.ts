import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { keptMib, MEMORY_ENV, mainTimers } from '../../acceptance/testing/memory.ts'
import type { ServerProcess } from '../../acceptance/testing/server-process.ts'
import { openRows } from './open-rows.ts'

/** What must not grow while a server runs. */
export interface Figures {
  /** Resident memory of the main process after a collection of garbage. */
  mainMib: number
  /** Anonymous resident memory of all media workers together, after a collection of garbage. */
  workersMib: number
  /** Open file descriptors of all processes. */
  descriptors: number
  /** Timers of the main process and of the media workers that keep them alive. */
  timers: number
  /** Rows that stand for something that goes on. */
  openRows: number
}

/** {@link Figures} of one moment. */
export type Sample = Figures

const COLLECTOR = pathToFileURL(`${import.meta.dirname}/collect-garbage.mjs`)
/** Freed pages go back to the system after a collection. */
const SETTLING_MS = 1000

/** What a server must be started with for {@link takeSample}. */
export const SAMPLED_ENV = {
  NODE_OPTIONS: `${MEMORY_ENV.NODE_OPTIONS} --expose-gc --import=${COLLECTOR.href}`,
}

/** Looks at a server that was started with {@link SAMPLED_ENV}. */
export async function takeSample(server: ServerProcess): Promise<Sample> {
  const mainMib = await keptMib(server)
  const workers = (await server.mediaWorkers()).map(({ pid }) => pid)
  for (const pid of workers) process.kill(pid, 'SIGUSR2')
  await delay(SETTLING_MS)
  const memory = await Promise.all(workers.map(anonymousMib))
  const descriptors = await Promise.all([server.pid, ...workers].map(descriptorsOf))
  return {
    mainMib,
    workersMib: sum(memory),
    descriptors: sum(descriptors),
    timers: await mainTimers(server),
    openRows: sum(Object.values(openRows(server.dataDir))),
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

async function anonymousMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) / 1024
}

async function descriptorsOf(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length
}
