/**
 * How long somebody waits for the answer to a GET while four rooms of four are live, beside an idle server: the 99th
 * percentile of all.
 *
 * Requests come at a fixed, moderate rate in both cases, each at its time whether or not the one before has been
 * answered. A load that saturates the server would measure only how cores are divided: an idle server would have as
 * many requests waiting as a busy one. Members' machines and the client of the interface stand elsewhere in truth, and
 * share the cores with the server here: so members are light, encode and decode nothing and get what the server leaves
 * over, and whoever takes the time is a process of its own that waits for nobody (both by how they are scheduled, the
 * latter only where the system lets us). What is left between the two numbers is the server's own: its main thread
 * beside media workers that compose four rooms.
 */
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { median } from '../median.ts'
import type { Stage } from '../on-a-server.ts'
import { report } from '../report.ts'
import { basic } from './credentials.ts'
import { LiveRooms, MEMBERS, ROOMS } from './live-rooms.ts'
import { RequesterProcess, type Window } from './requester-process.ts'

const REQUESTS_PER_SECOND = 200
const WINDOW_SECONDS = 8
const WARM_UP_SECONDS = 12
const WINDOWS = 5
const SETTLE_MS = 8000

/** Of several windows, the usual one. */
async function p99Ms(requester: RequesterProcess, window: Window): Promise<number> {
  const windows: number[] = []
  for (let i = 0; i < WINDOWS; i++) windows.push(await requester.p99Ms(window))
  console.log(`p99 of each window: ${windows.map((ms) => ms.toFixed(2)).join(', ')} ms`)
  return median(windows)
}

async function p99MsWhileLive(stage: Stage, requester: RequesterProcess, window: Window): Promise<number> {
  const rooms = await LiveRooms.fill(stage)
  try {
    await delay(SETTLE_MS)
    await rooms.watch()
    const liveMs = await p99Ms(requester, window)
    const rates = await rooms.confirm()
    console.log(`each of ${rates.length} members received ${rates[0]?.toFixed(1)} frames/s or more meanwhile`)
    return liveMs
  } finally {
    rooms.close()
  }
}

/** Idle first, then live; both once what runs for the first time has been compiled. */
export async function measureLatency(stage: Stage): Promise<void> {
  const { baseUrl, projectId, apiToken } = stage.server.access
  const room = await stage.rest.createRoom({ name: 'read' })
  const window: Window = {
    url: `${baseUrl}/api/video/rooms/${room.id}`,
    authorization: basic(projectId, apiToken),
    requestsPerSecond: REQUESTS_PER_SECOND,
    seconds: WINDOW_SECONDS,
  }
  const requester = new RequesterProcess(path.join(stage.server.dataDir, 'tls/ca.pem'))
  try {
    await requester.p99Ms({ ...window, seconds: WARM_UP_SECONDS })
    await requester.goFirst()
    const idleMs = await p99Ms(requester, window)
    const liveMs = await p99MsWhileLive(stage, requester, window)
    console.log(
      `p99 of GET: ${idleMs.toFixed(2)} ms idle, ${liveMs.toFixed(2)} ms while ${ROOMS} rooms are live`,
    )
    report({
      what: `GET room, p99, ${ROOMS} rooms of ${MEMBERS} live / idle`,
      value: liveMs / idleMs,
      limit: 2,
      direction: 'at most',
    })
  } finally {
    requester.close()
  }
}
