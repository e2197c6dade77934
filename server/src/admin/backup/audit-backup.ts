import { type AdministrativeAct, recordAct } from '../../audit/audit.ts'
import type { Config } from '../../config.ts'
import { databaseFile } from '../../storage/data-folder.ts'
import { openDatabase } from '../../storage/open-storage.ts'
import { DatabaseUnreachable } from '../../storage/postgres/waiting-pool.ts'
import { repositories } from '../../storage/repositories.ts'
import type { CommandContext } from '../command.ts'

/**
 * Writes a backup or its restoration into the audit log. A database of an older version keeps its schema, since a backup
 * is what people make before an upgrade; it has no log to write to. A backup may be the rescue from a disk that is full:
 * it goes on when the entry cannot be written, and says so.
 * @throws DatabaseUnreachable before a backup
 */
export async function recordBackup(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  { actor, clock, note }: Pick<CommandContext, 'actor' | 'clock' | 'note'>,
  act: Pick<AdministrativeAct, 'details'> & { action: 'backup.create' | 'backup.restore' },
): Promise<void> {
  try {
    const db = openDatabase(databaseUrl ?? databaseFile(dataDir))
    try {
      const tables = await db.introspection.getTables()
      if (!tables.some(({ name }) => name === 'audit_entries')) return
      await recordAct(repositories(db), { ...act, actor, projectId: null }, clock.now())
    } finally {
      await db.destroy()
    }
  } catch (error) {
    // Without the database there is no backup of it: one message, and no second wait for it.
    if (error instanceof DatabaseUnreachable && act.action === 'backup.create') throw error
    note(`This could not be written to the audit log: ${error instanceof Error ? error.message : error}`)
  }
}
