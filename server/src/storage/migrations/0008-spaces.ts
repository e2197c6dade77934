import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/** Adds the space of a project. Existing projects are in no space. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('projects').addColumn('space', textType(db)).execute()
}
