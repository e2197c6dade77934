import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryCluster } from './temporary-cluster.ts'

/** A database server where tests can create any number of empty databases. */
export interface DatabaseServer {
  /** The location of an empty database, without a schema. */
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

/** The databases that the server supports; for `describe.each`. */
export const databaseKinds = [
  { kind: 'SQLite', startServer: sqliteFolder },
  { kind: 'PostgreSQL', startServer: postgresCluster },
] as const
