import { expect, test } from 'vitest'
import {
  type TemporaryCluster,
  temporaryCluster,
} from '../../server/src/storage/postgres/temporary-cluster.ts'
import type { Access } from '../harness/rest.ts'
import { ServerProcess } from '../harness/server-process.ts'
import { operation, operations } from './api-document.ts'
import { basic, Caller } from './caller.ts'
import { Project } from './project.ts'
import type { Suite } from './suite.ts'

/** What must not be told of the inside: the database and its place, code, and the texts of its errors. */
const INSIDE = /postgres|sql|ECONN|ENOENT|\.s\.PGSQL|kysely|node_modules|\.ts\b|\bat .*:\d+/i

/** A fault of the server that every operation has: nothing can be read or written. */
export function databaseAway(suite: Suite): void {
  // A deployment elsewhere keeps its database.
  if (process.env.PARLEY_BASE_URL !== undefined) return

  test('500: every operation, while the database is away; and it comes back', async () => {
    const cluster = await temporaryCluster()
    try {
      const env = { PARLEY_DATABASE_URL: await cluster.createDatabase(), PARLEY_MEDIA_WORKERS: '1' }
      const server = await ServerProcess.start('rest-database-away', env)
      const caller = new Caller(server.access, suite.coverage)
      try {
        await interrupt(cluster, caller, server.access)
      } finally {
        await caller.close()
        await server.stop()
        await server.remove()
      }
    } finally {
      await cluster.remove()
    }
  })
}

async function interrupt(cluster: TemporaryCluster, caller: Caller, access: Access): Promise<void> {
  const { projectId, apiToken } = access
  const project = new Project(caller, projectId, basic(projectId, apiToken))
  await project.signIn()
  const calls = []
  for (const target of operations) calls.push([target, await project.goodCall(target)] as const)
  await cluster.stop()
  const answers = await Promise.all(
    calls.map(async ([target, call]) => [target.id, await caller.call(target, call)] as const),
  )
  for (const [id, { status, text }] of answers) {
    expect(status, `${id}: ${text}`).toBe(500)
    expect(text, id).not.toMatch(INSIDE)
  }
  await cluster.start()
  expect((await project.call(operation('listRooms'))).data.length).toBeGreaterThan(0)
}
