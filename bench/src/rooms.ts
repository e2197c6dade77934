/**
 * How many rooms of four members, each with a camera of 360p at 20 frames a second and sound, the server carries before
 * anybody sees fewer than 19.5 pictures a second. One room more at a time, until that happens or the server lets no
 * more in. The members are simulated on the same machine, so the server does not have all of it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { enter, filmFor, slowest, type Window, watch } from '../live-room.ts'
import { Crowd } from '../load/crowd-process.ts'
import { onAServer } from '../on-a-server.ts'
import { report } from '../report.ts'

const MEMBERS = 4
const LEAST_FPS = 19.5
const LIMIT = 12
/** More rooms are not tried. */
const MOST_ROOMS = 16
const SETTLE_MS = 4000
const SECONDS = 6
/** The last number of rooms is tried again, because a single late moment of the machine says nothing. */
const TRIES = 2

await onAServer('rooms', {}, async (stage) => {
  const film = await filmFor(stage, { height: 360, fps: 20 })
  const crowds = [new Crowd(stage.server), new Crowd(stage.server)]
  const addRoom = (room: number) =>
    enter(stage, crowds[room % crowds.length]!, {
      room: `room-${room}`,
      people: MEMBERS,
      entrant: { as: 'member', camera: film, sound: 'tone' },
    })
  const isSmooth = async (rooms: number): Promise<Window | null> => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      await delay(SETTLE_MS)
      const window = await watch(stage, crowds, SECONDS)
      const fps = slowest(window.picturesPerSecond)
      console.log(
        `${rooms} rooms: ${fps.toFixed(1)} pictures a second or more, ${window.cores.toFixed(2)} cores; the members ${window.crowdCores.toFixed(2)}`,
      )
      if (fps >= LEAST_FPS) return window
    }
    return null
  }
  try {
    let rooms = 0
    let cores = Number.NaN
    while (rooms < MOST_ROOMS) {
      const refusal = await addRoom(rooms + 1).catch((error: Error) => error.message)
      if (refusal !== undefined) {
        console.log(`room ${rooms + 1} was refused: ${refusal}`)
        break
      }
      const window = await isSmooth(rooms + 1)
      if (window === null) break
      rooms++
      cores = window.cores
    }
    const what = `rooms of ${MEMBERS} x 360p20 at ${LEAST_FPS} pictures a second`
    report({ what, value: rooms, limit: LIMIT, direction: 'at least' })
    report({ what: 'CPU, each of these rooms', value: cores / rooms, unit: 'cores' })
  } finally {
    for (const crowd of crowds) crowd.close()
  }
})
