import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/** Adds which node of a cluster has a file that is to be removed. Earlier versions leave it out. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('removed_files').addColumn('node', textType(db)).execute()
}
