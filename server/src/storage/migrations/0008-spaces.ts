import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/** The space that a project belongs to; those that were there are outside of all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('projects').addColumn('space', textType(db)).execute()
}
