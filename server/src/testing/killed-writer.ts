/** Writes rooms until it is killed, and prints each one that the storage confirmed. Used by a test of the storage. */
import { openStorage } from '../storage/open-storage.ts'
import { sampleRoom } from './sample-records.ts'

const [file = '', project_id = ''] = process.argv.slice(2)
const storage = await openStorage(file)
await storage.projects.insert({ id: project_id, name: 'killed', created_at: 1 })
await Promise.all(
  Array.from({ length: 16 }, async () => {
    for (;;) {
      const room = sampleRoom({ project_id })
      await storage.rooms.insert(room)
      process.stdout.write(`${room.id}\n`)
    }
  }),
)
