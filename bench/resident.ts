import { readFile } from 'node:fs/promises'
import type { ServerProcess } from '../acceptance/testing/server-process.ts'

/** Resident memory of all processes of a server, MiB. Shared pages count proportionally (PSS), so that it can be added up. */
export async function residentMiB(server: ServerProcess): Promise<number> {
  const shares = (await server.allPids()).map(async (pid) => {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024
  })
  return (await Promise.all(shares)).reduce((sum, share) => sum + share, 0)
}
