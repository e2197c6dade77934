/**
 * Kills a server with all its processes in the middle of a recorded meeting, many times. After each restart it checks
 * what the server recovered.
 */
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../acceptance/testing/eventually.ts'
import { Rest } from '../../acceptance/testing/rest.ts'
import { ServerProcess } from '../../acceptance/testing/server-process.ts'
import { report } from '../report.ts'
import { lastClock } from './clock-clip.ts'
import { openRows } from './open-rows.ts'
import { People } from './people-process.ts'

/** Limit from the launch to the first admitted member, in milliseconds. */
const JOINABLE_LIMIT_MS = 5000
/** How much may be missing at the end of a recording, by the clock in the picture, in milliseconds. */
const LOST_LIMIT_MS = 2000
const RECORDED_MS = { least: 3000, most: 7000 }
const SETTLED_TIMEOUT_MS = 30_000

interface Kill {
  joinableMs: number
  lostMs: number
  damaged: string | null
  lostRows: number
  stuck: string | null
}

/** @param count number of kills */
export async function soakKills(count: number): Promise<void> {
  const server = await ServerProcess.start('soak-kills', {
    PARLEY_SESSION_GRACE_SECONDS: '2',
    // No request limit: the loop creates rooms as fast as the server answers.
    PARLEY_REQUESTS_PER_MINUTE: '0',
  })
  const people = new People(server.access.baseUrl, path.join(server.dataDir, 'tls/ca.pem'))
  const kills: Kill[] = []
  try {
    await people.ready()
    const rest = new Rest(server.access)
    await rest.createRoom({ name: 'clock', record_on_start: true })
    await rest.close()
    for (let i = 1; i <= count; i++) {
      const kill = await killOnce(server, people)
      kills.push(kill)
      console.log(
        `kill ${i} of ${count}: joinable after ${kill.joinableMs.toFixed(0)} ms, ${kill.lostMs.toFixed(0)} ms lost`,
        kill.damaged ?? '',
        kill.stuck ?? '',
      )
    }
  } finally {
    people.close()
    await server.stop()
    await server.remove()
  }
  tell(kills)
}

async function killOnce(server: ServerProcess, people: People): Promise<Kill> {
  const rest = new Rest(server.access)
  const token = await rest.createRoomToken({ room_name: 'clock', user_name: 'Clock' })
  const person = await people.join(token)
  await eventually(
    'a picture',
    () => people.framesReceived(person),
    (frames) => frames > 5,
  )
  const [session] = await rest.sessionsOf('clock')
  const committed: string[] = []
  const writing = writeRooms(rest, committed)
  const { least, most } = RECORDED_MS
  await delay(least + Math.random() * (most - least))
  const killedAtMs = Date.now()
  await server.killEverything()
  await writing
  await people.vanish(person)
  await rest.close()

  const launchedMs = performance.now()
  const [joinableMs] = await Promise.all([joinAgain(people, token, launchedMs), server.launch()])
  const after = new Rest(server.access)
  try {
    const stuck = await settled(after, server, session!.id)
    const [recording] = await after.sessionRecordings(session!.id)
    const file = path.join(server.dataDir, 'recordings', `${recording?.id}.mp4`)
    const seen = await lastClock(file, killedAtMs).catch((error: Error) => error)
    const lostRows = await missing(after, committed)
    await after.deleteRecording(recording!.id)
    return {
      joinableMs,
      lostMs: seen instanceof Error || seen === null ? Number.POSITIVE_INFINITY : killedAtMs - seen,
      damaged: seen instanceof Error ? seen.message : seen === null ? 'no picture of the clock' : null,
      lostRows,
      stuck,
    }
  } finally {
    await after.close()
  }
}

/** Creates rooms until the server is gone. @param committed receives the id of each room that was answered */
async function writeRooms(rest: Rest, committed: string[]): Promise<void> {
  for (;;) {
    try {
      committed.push((await rest.createRoom({ name: `row-${randomUUID()}` })).id)
    } catch {
      return
    }
  }
}

async function missing(rest: Rest, committed: readonly string[]): Promise<number> {
  let count = 0
  for (const id of committed) {
    const { status } = await rest.send('GET', `/rooms/${id}`)
    if (status !== 200) count++
    await rest.send('DELETE', `/rooms/${id}`)
  }
  return count
}

/** Retries without a pause, like a page that waits for its server. @returns milliseconds since `sinceMs` */
async function joinAgain(people: People, token: string, sinceMs: number): Promise<number> {
  for (;;) {
    try {
      const person = await people.join(token)
      const joinableMs = performance.now() - sinceMs
      await people.leave(person)
      return joinableMs
    } catch (error) {
      if (performance.now() - sinceMs > 30_000) throw error
      await delay(50)
    }
  }
}

/**
 * Waits until everything from before the kill is completed. @returns what is still incomplete after the timeout; null
 * if nothing is
 */
async function settled(rest: Rest, server: ServerProcess, sessionId: string): Promise<string | null> {
  try {
    await eventually(
      'everything completed',
      async () => ({
        session: (await rest.session(sessionId)).status,
        recordings: (await rest.sessionRecordings(sessionId)).map(({ status }) => status),
        rows: openRows(server.dataDir),
      }),
      ({ session, recordings, rows }) =>
        session === 'completed' &&
        recordings.length === 1 &&
        recordings[0] === 'completed' &&
        Object.values(rows).every((count) => count === 0),
      { timeoutMs: SETTLED_TIMEOUT_MS },
    )
    return null
  } catch (error) {
    return String(error)
  }
}

function tell(kills: readonly Kill[]): void {
  const most = (of: (kill: Kill) => number) => Math.max(...kills.map(of))
  const count = (is: (kill: Kill) => boolean) => kills.filter(is).length
  report({ what: 'kills', value: kills.length })
  report({
    what: 'files that cannot be played',
    value: count(({ damaged }) => damaged !== null),
    limit: 0,
    direction: 'at most',
  })
  report({
    what: 'lost by the clock in the picture, most',
    value: most(({ lostMs }) => lostMs),
    unit: 'ms',
    limit: LOST_LIMIT_MS,
    direction: 'at most',
  })
  report({
    what: 'committed rows lost',
    value: kills.reduce((sum, { lostRows }) => sum + lostRows, 0),
    limit: 0,
    direction: 'at most',
  })
  report({
    what: 'joinable after the launch, most',
    value: most(({ joinableMs }) => joinableMs),
    unit: 'ms',
    limit: JOINABLE_LIMIT_MS,
    direction: 'at most',
  })
  const sorted = kills.map(({ joinableMs }) => joinableMs).sort((a, b) => a - b)
  report({ what: 'joinable after the launch, median', value: sorted[sorted.length >> 1] ?? 0, unit: 'ms' })
  report({ what: 'stuck', value: count(({ stuck }) => stuck !== null), limit: 0, direction: 'at most' })
}
