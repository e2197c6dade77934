import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Queries that count rows of things that have not ended. */
const OPEN = {
  sessions: "select count(*) n from room_sessions where status = 'in-progress'",
  members: 'select count(*) n from room_members where leave_time is null',
  recordings: "select count(*) n from room_recordings where status <> 'completed'",
  streams: "select count(*) n from stream_runs where status = 'streaming'",
  calls: "select count(*) n from calls where status = 'in-progress'",
} as const

/** Counts the rows of things that have not ended, for each kind, in a server's SQLite database. */
export function openRows(dataDir: string): Record<keyof typeof OPEN, number> {
  const database = new DatabaseSync(path.join(dataDir, 'parley.db'), { readOnly: true })
  try {
    const counts = Object.entries(OPEN).map(([kind, sql]) => [kind, Number(database.prepare(sql).get()?.n)])
    return Object.fromEntries(counts)
  } finally {
    database.close()
  }
}
