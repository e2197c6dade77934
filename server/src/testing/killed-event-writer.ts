/** Writes events until it is killed, and prints the id of each one that the storage confirmed. Used by a test of webhooks. */
import { openStorage } from '../storage/open-storage.ts'
import { sampleEvent } from './sample-records.ts'

const [file = '', project_id = '', ...sessions] = process.argv.slice(2)
const storage = await openStorage(file)
await Promise.all(
  sessions.map(async (room_session_id) => {
    for (;;) {
      const event = sampleEvent({ project_id, room_session_id })
      await storage.transaction((tx) => tx.events.append(event))
      process.stdout.write(`${event.id}\n`)
    }
  }),
)
