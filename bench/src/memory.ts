/**
 * Resident memory of all of the server's processes: empty, with a first room of four members, and the increase for a
 * further room of four. Shared pages count proportionally (PSS), so that the processes can be added up.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { PARTICIPANTS } from '../../acceptance/testing/colours.ts'
import type { ServerProcess } from '../../acceptance/testing/server-process.ts'
import { onAServer } from '../on-a-server.ts'
import { report } from '../report.ts'

const MEMBERS = 4
const SETTLE_MS = 8000
const [GREEN] = PARTICIPANTS

async function residentMiB(server: ServerProcess): Promise<number> {
  const shares = (await server.allPids()).map(async (pid) => {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024
  })
  return (await Promise.all(shares)).reduce((sum, share) => sum + share, 0)
}

await onAServer('memory', { PARLEY_MEDIA_WORKERS: '1' }, async (stage) => {
  const browser = await stage.launch(GREEN)
  const fill = async (room: string) => {
    for (let member = 0; member < MEMBERS; member++) {
      const { participant, token } = await stage.prepare(browser, room)
      await participant.joinAndAwaitFirstFrame(token)
    }
    await delay(SETTLE_MS)
    return residentMiB(stage.server)
  }
  await delay(SETTLE_MS)
  const empty = await residentMiB(stage.server)
  const one = await fill('first')
  const two = await fill('second')
  report({ what: 'resident, empty server, one media worker', value: empty, unit: 'MiB' })
  report({ what: 'resident, first room of four adds', value: one - empty, unit: 'MiB' })
  report({ what: 'resident, a further room of four adds', value: two - one, unit: 'MiB' })
})
