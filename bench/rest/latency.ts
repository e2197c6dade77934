/**
 * How long somebody waits for the answer to a GET while four rooms of four are live, beside an idle server: the 99th
 * percentile of all.
 *
 * Requests come at a fixed, moderate rate in both cases, each at its time whether or not the one before has been
 * answered. A load that saturates the server would measure only how cores are divided: an idle server would have as
 * many requests waiting as a busy one. Members' machines and the client of the interface stand elsewhere in truth, and
 * share the cores with the server here: so browsers get what the server leaves over, and whoever takes the time does not
 * wait for a core (both by their priorities, the latter only where the system lets us). What is left between the two
 * numbers is the server's own: its main thread beside media workers that compose four rooms.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { PARTICIPANTS } from '../../acceptance/harness/colours.ts'
import { descendants } from '../../acceptance/harness/processes.ts'
import { median } from '../median.ts'
import type { Stage } from '../on-a-server.ts'
import { report } from '../report.ts'
import { basic } from './credentials.ts'

const REQUESTS_PER_SECOND = 200
const CONNECTIONS = 8
const WINDOW_SECONDS = 8
const WINDOWS = 3
const ROOMS = 4
const MEMBERS = 4
const SETTLE_MS = 8000
const LOWEST_PRIORITY = 19
const HIGH_PRIORITY = -15
const [GREEN] = PARTICIPANTS

/** @returns milliseconds that one in a hundred requests of a window takes longer than */
async function p99OfWindow(get: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  const answered: Promise<void>[] = []
  const startMs = performance.now()
  for (let i = 0; i < REQUESTS_PER_SECOND * WINDOW_SECONDS; i++) {
    const waitMs = startMs + (i * 1000) / REQUESTS_PER_SECOND - performance.now()
    if (waitMs > 0) await delay(waitMs)
    const sentMs = performance.now()
    answered.push(get().then(() => void times.push(performance.now() - sentMs)))
  }
  await Promise.all(answered)
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
}

async function p99Ms(get: () => Promise<unknown>): Promise<number> {
  const windows: number[] = []
  for (let window = 0; window < WINDOWS; window++) windows.push(await p99OfWindow(get))
  return median(windows)
}

/** Priorities belong to threads; those of a process can be told apart only by their ids. */
function setPriorityOfProcess(pid: number, priority: number): void {
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      setPriority(Number(thread), priority)
    } catch {
      // It has ended, or the system does not let us.
    }
  }
}

/**
 * Where the system shares the processor by sessions first (sched(7), autogroups), the priorities of threads count only
 * within one; a browser is started in a session of its own.
 */
function setPriorityOfSession(pid: number, priority: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(priority))
  } catch {
    // There are no such groups, the process has ended, or the system does not let us.
  }
}

async function fillRooms({ launch, prepare, server }: Stage): Promise<void> {
  const browser = await launch(GREEN)
  for (let room = 0; room < ROOMS; room++) {
    for (let member = 0; member < MEMBERS; member++) {
      const { participant, token } = await prepare(browser, `live-${room}`)
      await participant.joinAndAwaitFirstFrame(token)
    }
  }
  const own = new Set(await server.allPids())
  for (const { pid } of await descendants(process.pid)) {
    if (own.has(pid)) continue
    setPriorityOfProcess(pid, LOWEST_PRIORITY)
    setPriorityOfSession(pid, LOWEST_PRIORITY)
  }
  await delay(SETTLE_MS)
}

export async function measureLatency(stage: Stage): Promise<void> {
  const { baseUrl, projectId, apiToken, ca } = stage.server.access
  const room = await stage.rest.createRoom({ name: 'read' })
  const agent = new Agent({ connect: ca === undefined ? {} : { ca }, connections: CONNECTIONS })
  const headers = { authorization: basic(projectId, apiToken) }
  const get = async () => {
    const url = `${baseUrl}/api/video/rooms/${room.id}`
    const { statusCode, body } = await request(url, { dispatcher: agent, headers })
    await body.dump()
    if (statusCode !== 200) throw new Error(`${url}: ${statusCode}`)
  }
  await p99OfWindow(get)
  setPriorityOfProcess(process.pid, HIGH_PRIORITY)
  const idleMs = await p99Ms(get)
  setPriorityOfProcess(process.pid, 0)
  await fillRooms(stage)
  setPriorityOfProcess(process.pid, HIGH_PRIORITY)
  const liveMs = await p99Ms(get)
  await agent.destroy()
  console.log(
    `p99 of GET: ${idleMs.toFixed(2)} ms idle, ${liveMs.toFixed(2)} ms while ${ROOMS} rooms are live`,
  )
  report({
    what: `GET room, p99, ${ROOMS} rooms of ${MEMBERS} live / idle`,
    value: liveMs / idleMs,
    limit: 2,
    direction: 'at most',
  })
}
