import { link, readdir } from 'node:fs/promises'
import path from 'node:path'
import { newId } from '../../server/src/ids.ts'
import { openStorage } from '../../server/src/storage/open-storage.ts'
import { sampleMember, sampleRecording, sampleSession } from '../../server/src/testing/sample-records.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** Meetings of a usual day: room, hour of the day before now, minutes, people, and whether it was recorded. */
const DAY = [
  ['stand-up', 23.2, 14, 6, false],
  ['design-review', 22.1, 52, 5, true],
  ['support', 21.4, 23, 2, false],
  ['sales-demo', 20.3, 41, 4, true],
  ['interview', 19.1, 58, 3, false],
  ['support', 17.9, 12, 2, false],
  ['all-hands', 16.4, 44, 18, true],
  ['retrospective', 14.2, 61, 8, false],
  ['support', 5.6, 17, 2, false],
  ['stand-up', 4.3, 16, 7, false],
  ['board', 3.4, 73, 9, true],
  ['design-review', 1.6, 38, 5, true],
  ['support', 0.9, 9, 2, false],
] as const
const DAYS = 9
const PEOPLE =
  'Ada Paul Naomi Arjun Yuki Lucas Grace Chidi Marta Ines Omar Sofia Liam Noor Emil Zoe Ravi Hana'.split(' ')

/**
 * Fills the history of a server, so that its dashboard looks as that of a team which has used it for a while.
 * @param dataFolder data folder of the running server
 * @returns names of the files that the recordings would have
 */
export async function writePastMeetings(dataFolder: string, projectId: string): Promise<string[]> {
  const storage = await openStorage(path.join(dataFolder, 'parley.db'))
  try {
    const now = Date.now()
    const files: string[] = []
    await storage.transaction(async (tx) => {
      for (let day = 0; day < DAYS; day++) {
        for (const [name, hoursAgo, minutes, people, isRecorded] of DAY) {
          const from = now - day * 24 * HOUR_MS - hoursAgo * HOUR_MS
          const until = from + minutes * MINUTE_MS
          const room_session_id = newId()
          const of = { project_id: projectId, room_session_id }
          await tx.sessions.insert(
            sampleSession({
              id: room_session_id,
              project_id: projectId,
              name,
              status: 'completed',
              start_time: from,
              created_at: from,
              end_time: until,
              updated_at: until,
            }),
          )
          for (const [index, person] of PEOPLE.slice(0, people).entries()) {
            const join_time = from + index * 7000
            await tx.members.insert(sampleMember({ ...of, name: person, join_time, leave_time: until }))
          }
          if (!isRecorded) continue
          const duration_ms = until - from
          const size_in_bytes = Math.round((duration_ms / 1000) * 180_000)
          const times = { started_at: from, finished_at: until, created_at: from, updated_at: until }
          const recording = sampleRecording({
            ...of,
            ...times,
            room_name: name,
            duration_ms,
            size_in_bytes,
          })
          await tx.recordings.insert(recording)
          files.push(recording.file)
        }
      }
    })
    return files
  } finally {
    await storage.close()
  }
}

/** Lets the past recordings have the file of the one that was really made, so that each has a picture. */
export async function giveFiles(dataFolder: string, files: readonly string[]): Promise<void> {
  const folder = path.join(dataFolder, 'recordings')
  const made = (await readdir(folder)).find((file) => file.endsWith('.mp4'))
  if (made === undefined) throw new Error('nothing was recorded')
  for (const file of files) await link(path.join(folder, made), path.join(folder, file))
}
