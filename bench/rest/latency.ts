/**
 * How long somebody waits for the answer to a GET while four rooms of four are live, beside an idle server: the 99th
 * percentile of all.
 *
 * Requests come at a fixed, moderate rate in both cases, each at its time whether or not the one before has been
 * answered. A load that saturates the server would measure only how cores are divided: an idle server would have as
 * many requests waiting as a busy one. Members' machines and the client of the interface stand elsewhere in truth, and
 * share the cores with the server here: so members are light, encode and decode nothing and get what the server leaves
 * over, and whoever takes the time does not wait for a core (both by their priorities, the latter only where the system
 * lets us). What is left between the two numbers is the server's own: its main thread beside media workers that compose
 * four rooms.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { median } from '../median.ts'
import type { Stage } from '../on-a-server.ts'
import { report } from '../report.ts'
import { basic } from './credentials.ts'
import { LiveRooms, MEMBERS, ROOMS, setPriorityOfProcess } from './live-rooms.ts'

const REQUESTS_PER_SECOND = 200
const CONNECTIONS = 8
const WINDOW_SECONDS = 8
const WINDOWS = 3
const SETTLE_MS = 8000
const HIGH_PRIORITY = -15

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

async function p99MsWhileLive(stage: Stage, get: () => Promise<unknown>): Promise<number> {
  const rooms = await LiveRooms.fill(stage)
  try {
    await delay(SETTLE_MS)
    setPriorityOfProcess(process.pid, HIGH_PRIORITY)
    await rooms.watch()
    const liveMs = await p99Ms(get)
    const rates = await rooms.confirm()
    console.log(`each of ${rates.length} members received ${rates[0]?.toFixed(1)} frames/s or more meanwhile`)
    return liveMs
  } finally {
    rooms.close()
  }
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
  const liveMs = await p99MsWhileLive(stage, get)
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
