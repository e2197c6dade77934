/**
 * Measures the 99th percentile of the time until a GET is answered. It compares a server with four live rooms of four
 * members with an idle server.
 *
 * Requests come at a fixed, moderate rate in both cases. Each is sent at its time, even if the one before is still
 * unanswered. A load that saturates the server would measure only how the cores are shared: an idle server would have
 * as many waiting requests as a busy one.
 *
 * In production the members' machines and the API client are elsewhere; here they share the cores with the server. So
 * members are light: they encode and decode nothing, and their scheduling gives them only what the server leaves over.
 * The requests come from a separate process that is scheduled ahead of all others, if the system permits it. The
 * remaining difference between the two numbers is the server's own: its main thread beside media workers that compose
 * four rooms.
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

/** The median of several windows. */
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

/**
 * Measures idle first, then live. A warm-up comes before both, so that the code is compiled when the measurement
 * starts.
 */
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
