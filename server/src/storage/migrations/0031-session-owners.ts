import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/** Adds which node of a cluster runs a session, and the revision of its claim. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('room_sessions').addColumn('owner_node', textType(db)).execute()
  await db.schema.alterTable('room_sessions').addColumn('owner_revision', 'bigint').execute()
}
