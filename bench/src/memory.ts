/**
 * Resident memory of all of the server's processes: empty with two media workers, the increase for a further room of four with
 * cameras and sound, and what is left when all have gone and twenty more rooms have come and gone. Each worker gets a room before,
 * because the first one also loads the codecs and compiles the code. Shared pages count proportionally (PSS), so that the processes
 * can be added up. The server runs on a copy of Node: pages of the program that it shared with this process and with the simulated members
 * would count as partly theirs. It was started once before: the first start after an installation also loads the compiler of TypeScript.
 */
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { enter, filmFor } from '../live-room.ts'
import { Crowd } from '../load/crowd-process.ts'
import { onAServer, type Stage } from '../on-a-server.ts'
import { report } from '../report.ts'
import { residentMiB } from '../resident.ts'

const WORKERS = 2
const MEMBERS = 4
const FURTHER_ROOMS = 2
const ROOMS_THAT_END = 20
const SETTLE_MS = 8000
/** A thread that composes pictures is kept for half a minute. */
const END_SETTLE_MS = 45_000
const EMPTY_LIMIT_MIB = 180
const ROOM_LIMIT_MIB = 30

async function measure(stage: Stage): Promise<void> {
  const tell = async (what: string, settleMs: number) => {
    await delay(settleMs)
    const resident = await residentMiB(stage.server)
    console.log(`${what}: ${resident.toFixed(0)} MiB`)
    return resident
  }
  const empty = await tell('empty', SETTLE_MS)
  const film = await filmFor(stage, { height: 360, fps: 20 })
  const crowd = new Crowd(stage.server)
  const entrant = { as: 'member', camera: film, sound: 'tone' } as const
  const residentWith = async (rooms: number) => {
    await enter(stage, crowd, { room: `room-${rooms}`, people: MEMBERS, entrant })
    return tell(`${rooms} rooms`, SETTLE_MS)
  }
  try {
    let first = empty
    for (let room = 1; room <= WORKERS; room++) first = await residentWith(room)
    let last = first
    for (let room = 1; room <= FURTHER_ROOMS; room++) last = await residentWith(WORKERS + room)
    await crowd.leave()
    const left = await tell('all have left', END_SETTLE_MS)
    for (let room = 1; room <= ROOMS_THAT_END; room++) {
      await enter(stage, crowd, { room: `short-${room}`, people: 1, entrant })
      await delay(500)
      await crowd.leave()
    }
    const leftLater = await tell(`${ROOMS_THAT_END} more rooms have ended`, END_SETTLE_MS)
    report({
      what: `resident, empty server, ${WORKERS} media workers`,
      value: empty,
      unit: 'MiB',
      limit: EMPTY_LIMIT_MIB,
      direction: 'at most',
    })
    report({
      what: 'resident, the first room of each worker adds',
      value: (first - empty) / WORKERS,
      unit: 'MiB',
    })
    report({
      what: 'resident, a further room of four adds',
      value: (last - first) / FURTHER_ROOMS,
      unit: 'MiB',
      limit: ROOM_LIMIT_MIB,
      direction: 'at most',
    })
    report({
      what: 'resident, after all rooms, each worker more than before',
      value: (left - empty) / WORKERS,
      unit: 'MiB',
    })
    report({ what: `resident, ${ROOMS_THAT_END} rooms that ended add`, value: leftLater - left, unit: 'MiB' })
  } finally {
    crowd.close()
  }
}

const folder = await mkdtemp(path.join(tmpdir(), 'parley-memory-'))
try {
  const node = path.join(folder, 'node')
  await copyFile(process.execPath, node)
  const env = {
    PARLEY_MEDIA_WORKERS: String(WORKERS),
    // Rooms end when everybody has gone.
    PARLEY_SESSION_GRACE_SECONDS: '0',
    PARLEY_RECONNECT_GRACE_SECONDS: '1',
  }
  await onAServer('memory-first-start', env, () => delay(SETTLE_MS), node)
  await onAServer('memory', env, measure, node)
} finally {
  await rm(folder, { recursive: true })
}
