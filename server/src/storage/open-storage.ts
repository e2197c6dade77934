import { Kysely } from 'kysely'
import { eventRepository } from './event-repository.ts'
import { memberRepository } from './member-repository.ts'
import { migrate } from './migrate.ts'
import { apiTokenRepository, projectRepository } from './project-repository.ts'
import { recordingRepository } from './recording-repository.ts'
import { roomRepository } from './room-repository.ts'
import { sessionRepository } from './session-repository.ts'
import { sqliteDialect } from './sqlite/dialect.ts'
import type { Storage } from './storage.ts'
import type { Database, Tables } from './tables.ts'

function repositories(db: Database): Omit<Storage, 'transaction' | 'close'> {
  return {
    projects: projectRepository(db),
    apiTokens: apiTokenRepository(db),
    rooms: roomRepository(db),
    sessions: sessionRepository(db),
    members: memberRepository(db),
    recordings: recordingRepository(db),
    events: eventRepository(db),
  }
}

/**
 * Opens the database and brings its schema up to date.
 * @param file path of the SQLite file; it is made when absent
 * @throws DatabaseTooNew
 */
export async function openStorage(file: string): Promise<Storage> {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(file) })
  try {
    await migrate(db)
  } catch (error) {
    await db.destroy()
    throw error
  }
  return {
    ...repositories(db),
    transaction: (work) => db.transaction().execute((tx) => work(repositories(tx))),
    close: () => db.destroy(),
  }
}
