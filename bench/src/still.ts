/**
 * CPU time of a room in which nothing moves: four members without camera and microphone. All processes of the server
 * count, also what they need without any room.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { enter, watch } from '../live-room.ts'
import { Crowd } from '../load/crowd-process.ts'
import { median } from '../median.ts'
import { onAServer } from '../on-a-server.ts'
import { report } from '../report.ts'

const MEMBERS = 4
const LIMIT = 0.04
const SETTLE_MS = 8000
const SECONDS = 10
const WINDOWS = 3

await onAServer('still', {}, async (stage) => {
  const crowd = new Crowd(stage.server)
  const coresOf = async () => {
    const windows: number[] = []
    for (let window = 0; window < WINDOWS; window++) {
      const { cores, picturesPerSecond } = await watch(stage, [crowd], SECONDS)
      console.log(`${cores.toFixed(3)} cores, ${picturesPerSecond[0]?.toFixed(1) ?? 'no'} pictures a second`)
      windows.push(cores)
    }
    return median(windows)
  }
  try {
    await delay(SETTLE_MS)
    report({ what: 'CPU, server without a room', value: await coresOf(), unit: 'cores' })
    const entrant = { as: 'member', camera: null, sound: null } as const
    await enter(stage, crowd, { room: 'still', people: MEMBERS, entrant })
    await delay(SETTLE_MS)
    const what = `CPU, room of ${MEMBERS} in which nothing moves`
    report({ what, value: await coresOf(), unit: 'cores', limit: LIMIT, direction: 'at most' })
  } finally {
    crowd.close()
  }
})
