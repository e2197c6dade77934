/** Time of the dashboard's lists of recordings in a project with a million of them, on both databases. */
import { databaseKinds } from '../../server/src/testing/test-databases.ts'
import { measureRecordings } from '../dashboard/many-recordings.ts'

for (const { kind, startServer } of databaseKinds) {
  const server = await startServer()
  try {
    await measureRecordings(kind, await server.emptyDatabase())
  } finally {
    await server.remove()
  }
}
