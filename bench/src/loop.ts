/**
 * How soon packets are handled under load, and what is left of picture and sound under twice that load.
 *
 * The delay is measured from outside: somebody in the audience asks for a packet once more (NACK), and takes the time
 * until it comes. The way is that of every packet: socket, decryption, the worker's loop, encryption, socket. Rooms of
 * four are added until the server and the simulated members use 80 % of the machine. Sound is missing if it never came,
 * or too late for a player that waits 100 ms. Cameras send smaller and fewer pictures when the server asks them to, as
 * those of pages do.
 */
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { enter, obedientFilmFor, slowest, watch } from '../live-room.ts'
import { Crowd } from '../load/crowd-process.ts'
import { Prober } from '../load/prober-process.ts'
import { median } from '../median.ts'
import { onAServer } from '../on-a-server.ts'
import { quantile } from '../quantile.ts'
import { report } from '../report.ts'

const MEMBERS = 4
const CAMERA = { height: 360, fps: 20 } as const
/** What a machine with too much to do asks cameras for. */
const LESS = [
  { height: 180, fps: 20 },
  { height: 180, fps: 15 },
  { height: 180, fps: 10 },
] as const
const LOAD = 0.8
const MOST_ROOMS = 16
const SETTLE_MS = 3000
const LOAD_SECONDS = 4
const PROBE_SECONDS = 30
const OVERLOAD_SETTLE_MS = 8000
const OVERLOAD_SECONDS = 20
const MOST_DELAY_MS = 5
const MOST_MISSING_PERCENT = 1
const LEAST_FPS = 10

await onAServer('loop', {}, async (stage) => {
  const film = await obedientFilmFor(stage, CAMERA, LESS)
  const crowds = [new Crowd(stage.server), new Crowd(stage.server)]
  const prober = new Prober(stage.server)
  /** @returns whether it was let in */
  const addRoom = async (room: number): Promise<boolean> => {
    const entrant = { as: 'member', camera: film, sound: 'tone' } as const
    const crowd = crowds[room % crowds.length]!
    try {
      await enter(stage, crowd, { room: `room-${room}`, people: MEMBERS, entrant })
      return true
    } catch (error) {
      console.log(`room ${room} was refused: ${(error as Error).message}`)
      return false
    }
  }
  /** Adds rooms while one more of the same kind leaves the machine nearer to the load. */
  const fill = async (): Promise<{ rooms: number; load: number }> => {
    let load = 0
    for (let rooms = 0; rooms < MOST_ROOMS; rooms++) {
      const before = load
      if (!(await addRoom(rooms))) return { rooms, load }
      await delay(SETTLE_MS)
      const { cores, crowdCores } = await watch(stage, crowds, LOAD_SECONDS)
      load = (cores + crowdCores) / availableParallelism()
      console.log(
        `${rooms + 1} rooms: ${(100 * load).toFixed(0)} % of the machine, of which the members ${((100 * crowdCores) / availableParallelism()).toFixed(0)} %`,
      )
      if (load + (load - before) / 2 > LOAD) return { rooms: rooms + 1, load }
    }
    return { rooms: MOST_ROOMS, load }
  }
  try {
    const { rooms, load } = await fill()
    await prober.join(await stage.rest.createRoomToken({ room_name: 'room-0', join_as: 'audience' }))
    await delay(SETTLE_MS)
    const delays = await prober.probe(PROBE_SECONDS)
    console.log(`${delays.length} answers, median ${median(delays).toFixed(2)} ms`)
    report({ what: `load of the machine, ${rooms} rooms and their members`, value: 100 * load, unit: '%' })
    report({
      what: 'delay of a packet, p99, at that load',
      value: quantile(delays, 0.99),
      unit: 'ms',
      limit: MOST_DELAY_MS,
      direction: 'at most',
    })
    let admitted = 0
    for (let room = 0; room < rooms; room++) if (await addRoom(rooms + room)) admitted++
    await delay(OVERLOAD_SETTLE_MS)
    const window = await watch(stage, crowds, OVERLOAD_SECONDS)
    const expectedMs = window.seconds * 1000 * window.picturesPerSecond.length
    const heardMs = window.soundMs - window.missingSoundMs
    const what = `twice the rooms, ${admitted} of ${rooms} more let in`
    report({
      what: `sound missing, ${what}`,
      value: 100 * Math.max(0, 1 - heardMs / expectedMs),
      unit: '%',
      limit: MOST_MISSING_PERCENT,
      direction: 'at most',
    })
    report({
      what: `pictures a second of the slowest, ${what}`,
      value: slowest(window.picturesPerSecond),
      limit: LEAST_FPS,
      direction: 'at least',
    })
  } finally {
    prober.close()
    for (const crowd of crowds) crowd.close()
  }
})
