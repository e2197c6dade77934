/**
 * Resident memory of all of the server's processes: empty with two media workers, and the increase for a further room
 * of four with cameras and sound. Each worker gets a room before, because the first one also loads the codecs and
 * compiles the code. Shared pages count proportionally (PSS), so that the processes can be added up.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from '../../acceptance/testing/server-process.ts'
import { enter, filmFor } from '../live-room.ts'
import { Crowd } from '../load/crowd-process.ts'
import { onAServer } from '../on-a-server.ts'
import { report } from '../report.ts'

const WORKERS = 2
const MEMBERS = 4
const FURTHER_ROOMS = 2
const SETTLE_MS = 8000
const EMPTY_LIMIT_MIB = 180
const ROOM_LIMIT_MIB = 30

async function residentMiB(server: ServerProcess): Promise<number> {
  const shares = (await server.allPids()).map(async (pid) => {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024
  })
  return (await Promise.all(shares)).reduce((sum, share) => sum + share, 0)
}

await onAServer('memory', { PARLEY_MEDIA_WORKERS: String(WORKERS) }, async (stage) => {
  await delay(SETTLE_MS)
  const empty = await residentMiB(stage.server)
  const film = await filmFor(stage, { height: 360, fps: 20 })
  const crowd = new Crowd(stage.server)
  const residentWith = async (rooms: number) => {
    const entrant = { as: 'member', camera: film, sound: 'tone' } as const
    await enter(stage, crowd, { room: `room-${rooms}`, people: MEMBERS, entrant })
    await delay(SETTLE_MS)
    const resident = await residentMiB(stage.server)
    console.log(`${rooms} rooms: ${resident.toFixed(0)} MiB`)
    return resident
  }
  try {
    let first = empty
    for (let room = 1; room <= WORKERS; room++) first = await residentWith(room)
    let last = first
    for (let room = 1; room <= FURTHER_ROOMS; room++) last = await residentWith(WORKERS + room)
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
  } finally {
    crowd.close()
  }
})
