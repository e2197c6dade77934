import type { Kysely } from 'kysely'

/** Adds how much the recordings of a project may take, in bytes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('projects').addColumn('recording_quota_bytes', 'bigint').execute()
}
