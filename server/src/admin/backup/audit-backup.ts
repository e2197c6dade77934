import { type AdministrativeAct, recordAct } from '../../audit/audit.ts'
import type { Config } from '../../config.ts'
import { databaseFile } from '../../storage/data-folder.ts'
import { openDatabase } from '../../storage/open-storage.ts'
import { DatabaseUnreachable } from '../../storage/postgres/waiting-pool.ts'
import { repositories } from '../../storage/repositories.ts'
import type { CommandContext } from '../command.ts'

/**
 * Records a backup or its restoration in the audit log. A database of an older version keeps its schema, because people
 * make a backup before an upgrade. Such a database has no audit log, so nothing is recorded. A backup may be made
 * because a disk is full: it goes on when the entry cannot be written, and prints a note.
 * @throws DatabaseUnreachable for a backup, when the database cannot be reached
 */
export async function recordBackup(
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  { actor, clock, note }: Pick<CommandContext, 'actor' | 'clock' | 'note'>,
  act: Pick<AdministrativeAct, 'details'> & { action: 'backup.create' | 'backup.restore' },
): Promise<void> {
  try {
    const db = await openDatabase(databaseUrl ?? databaseFile(dataDir))
    try {
      const tables = await db.introspection.getTables()
      if (!tables.some(({ name }) => name === 'audit_entries')) return
      await recordAct(repositories(db), { ...act, actor, projectId: null }, clock.now())
    } finally {
      await db.destroy()
    }
  } catch (error) {
    // Without the database there is no backup of it. One error is enough, and a second attempt would only wait again.
    if (error instanceof DatabaseUnreachable && act.action === 'backup.create') throw error
    note(`This could not be written to the audit log: ${error instanceof Error ? error.message : error}`)
  }
}
