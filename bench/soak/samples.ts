import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { keptMib, MEMORY_ENV, mainTimers } from '../../acceptance/testing/memory.ts'
import type { ServerProcess } from '../../acceptance/testing/server-process.ts'
import { openRows } from './open-rows.ts'

/** Figures that must not grow while a server runs. */
export interface Figures {
  /** Resident memory of the main process after a garbage collection, in MiB. */
  mainMib: number
  /** Anonymous resident memory of all media workers together after a garbage collection, in MiB. */
  workersMib: number
  /** Open file descriptors of all processes. */
  descriptors: number
  /** Timers that the main process still holds. */
  timers: number
  /** Rows of things that have not ended. */
  openRows: number
}

/** {@link Figures} at one moment. */
export type Sample = Figures

const COLLECTOR = pathToFileURL(`${import.meta.dirname}/collect-garbage.mjs`)
/** Time for the system to take back freed pages after a collection. */
const SETTLING_MS = 1000

/** Environment that a server needs for {@link takeSample}. */
export const SAMPLED_ENV = {
  NODE_OPTIONS: `${MEMORY_ENV.NODE_OPTIONS} --expose-gc --import=${COLLECTOR.href}`,
}

/** Measures a server that was started with {@link SAMPLED_ENV}. */
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
