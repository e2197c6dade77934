/** Time of the dashboard's lists and sums in a project with a million sessions, on both databases. */
import { databaseKinds } from '../../server/src/testing/test-databases.ts'
import { measureSessions } from '../dashboard/many-sessions.ts'

for (const { kind, startServer } of databaseKinds) {
  const server = await startServer()
  try {
    await measureSessions(kind, await server.emptyDatabase())
  } finally {
    await server.remove()
  }
}
