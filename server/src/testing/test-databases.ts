import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryCluster } from './temporary-cluster.ts'

/** A place where tests may have as many empty databases as they like. */
export interface DatabaseServer {
  /** The location of a database with nothing in it, not even a schema. */
  emptyDatabase(): Promise<string>
  remove(): Promise<void>
}

async function sqliteFolder(): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-storage-'))
  let count = 0
  return {
    emptyDatabase: async () => join(folder, `${++count}.db`),
    remove: async () => rmSync(folder, { recursive: true }),
  }
}

async function postgresCluster(): Promise<DatabaseServer> {
  const cluster = await temporaryCluster()
  return { emptyDatabase: () => cluster.createDatabase(), remove: () => cluster.remove() }
}

/** What the server can keep its data in; for `describe.each`. */
export const databaseKinds = [
  { kind: 'SQLite', startServer: sqliteFolder },
  { kind: 'PostgreSQL', startServer: postgresCluster },
] as const
