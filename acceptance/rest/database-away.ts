import { expect, test } from 'vitest'
import { type TemporaryCluster, temporaryCluster } from '../../server/src/testing/temporary-cluster.ts'
import type { Access } from '../testing/rest.ts'
import { ServerProcess } from '../testing/server-process.ts'
import { type Operation, operation, operations } from './api-document.ts'
import { basic, type Call, Caller } from './caller.ts'
import { Project } from './project.ts'
import type { Suite } from './suite.ts'

/** Internal details that no answer may contain: the database and its location, code, and internal error texts. */
const INSIDE = /postgres|sql|ECONN|ENOENT|\.s\.PGSQL|kysely|node_modules|\.ts\b|\bat .*:\d+/i

/** Tests a fault that every operation can have: nothing can be read or written. */
export function databaseAway(suite: Suite): void {
  test('500 and 503: every operation, while the database is broken or away; and it comes back', async () => {
    const cluster = await temporaryCluster()
    try {
      const url = await cluster.createDatabase()
      const env = { PARLEY_DATABASE_URL: url, PARLEY_MEDIA_WORKERS: '1' }
      const server = await ServerProcess.start('rest-database-away', env)
      const caller = new Caller(server.access, suite.coverage)
      try {
        await interrupt({ cluster, url, caller, access: server.access })
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

interface Interrupted {
  cluster: TemporaryCluster
  url: string
  caller: Caller
  access: Access
}

async function interrupt({ cluster, url, caller, access }: Interrupted): Promise<void> {
  const { projectId, apiToken } = access
  const project = new Project(caller, projectId, basic(projectId, apiToken))
  await project.signIn()
  const calls: [Operation, Call][] = []
  for (const target of operations) calls.push([target, await project.goodCall(target)])
  const expectAll = async (expected: number) => {
    const answers = await Promise.all(
      calls.map(async ([target, call]) => [target.id, await caller.call(target, call)] as const),
    )
    for (const [id, { status, text, headers }] of answers) {
      expect(status, `${id}: ${text}`).toBe(expected)
      expect(text, id).not.toMatch(INSIDE)
      if (expected === 503) expect(Number(headers['retry-after']), id).toBeGreaterThan(0)
    }
  }
  await cluster.run(url, moveTables('public', 'away'))
  await expectAll(500)
  await cluster.run(url, moveTables('away', 'public'))
  await cluster.stop()
  await expectAll(503)
  await cluster.start()
  expect((await project.call(operation('listRooms'))).data.length).toBeGreaterThan(0)
}

/** Simulates a permanent fault by moving the tables to another schema. */
const moveTables = (from: string, to: string) => `
  create schema if not exists ${to};
  do $$
  declare name text;
  begin
    for name in select tablename from pg_tables where schemaname = '${from}' loop
      execute format('alter table %I.%I set schema ${to}', '${from}', name);
    end loop;
  end $$`
