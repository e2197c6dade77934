import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/** Adds the origins whose pages may embed the conferences and rooms of a project. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('embed_origins')
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('origin', text, (column) => column.notNull())
    // A page that asks to be embedded names its origin before the server knows its project.
    .addPrimaryKeyConstraint('embed_origins_by_origin', ['origin', 'project_id'])
    .execute()
  await db.schema.createIndex('embed_origins_by_project').on('embed_origins').column('project_id').execute()
}
