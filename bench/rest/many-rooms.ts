import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ServerProcess } from '../../acceptance/testing/server-process.ts'

/**
 * Fills a project with copies of its only room, directly in the database.
 * @param count number of rooms afterwards
 */
export function multiplyRooms({ dataDir }: ServerProcess, projectId: string, count: number): void {
  const database = new DatabaseSync(path.join(dataDir, 'parley.db'))
  try {
    database.exec('PRAGMA busy_timeout = 60000; PRAGMA synchronous = OFF')
    const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all('rooms') as {
      name: string
    }[]
    const changed: Record<string, string> = {
      id: `printf('%08x-0000-7000-8000-%012x', n, abs(random()) % 281474976710656)`,
      name: `'copy-' || n`,
      created_at: 'created_at - n',
      updated_at: 'created_at - n',
    }
    const names = columns.map(({ name }) => name)
    const values = names.map((name) => changed[name] ?? name)
    database
      .prepare(
        `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
         INSERT INTO rooms (${names.join(', ')})
         SELECT ${values.join(', ')} FROM numbers, (SELECT * FROM rooms WHERE project_id = ? LIMIT 1)`,
      )
      .run(count - 1, projectId)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE); ANALYZE')
  } finally {
    database.close()
  }
}
