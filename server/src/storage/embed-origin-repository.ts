import type { EmbedOriginRepository } from './interfaces/projects.ts'
import type { Database } from './tables.ts'

/** Rows per statement. Databases limit the number of parameters. */
const PORTION = 400

/** Origins that may embed, in the database. */
export function embedOriginRepository(db: Database): EmbedOriginRepository {
  return {
    async list(projectId) {
      const rows = await db
        .selectFrom('embed_origins')
        .select('origin')
        .where('project_id', '=', projectId)
        .execute()
      // Sorted here, because databases sort texts by rules of their own.
      return rows.map(({ origin }) => origin).sort()
    },
    async replace(projectId, origins) {
      await db.deleteFrom('embed_origins').where('project_id', '=', projectId).execute()
      for (let start = 0; start < origins.length; start += PORTION) {
        const rows = origins
          .slice(start, start + PORTION)
          .map((origin) => ({ project_id: projectId, origin }))
        await db.insertInto('embed_origins').values(rows).execute()
      }
    },
    async isListed(projectId, origins) {
      if (origins.length === 0) return false
      let query = db
        .selectFrom('embed_origins')
        .select('origin')
        .where('origin', 'in', [...origins])
      if (projectId !== null) query = query.where('project_id', '=', projectId)
      return (await query.limit(1).executeTakeFirst()) !== undefined
    },
  }
}
