import { expect } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import type { ThreeNodes } from './three-nodes.ts'
import { expectWhole } from './whole-recording.ts'

export interface RecordedMeeting {
  sessionId: string
  roomName: string
  recordingId: string
  /** When the database went away, in Unix milliseconds. Somebody was muted after that, and all have left. */
  awayAtMs: number
}

/** Checks that a meeting without its database for a while is written down to its end: once, and with its recording. */
export async function expectWrittenDown(all: ThreeNodes, meeting: RecordedMeeting): Promise<void> {
  const { sessionId, roomName, recordingId, awayAtMs } = meeting
  await expectWhole(all.rest, recordingId)
  await eventually(
    'the end of the session',
    () => all.rest.session(sessionId),
    ({ status }) => status === 'completed',
    { timeoutMs: 40_000 },
  )
  const names = await all.query(
    `select name from events where room_session_id = '${sessionId}' and created_at >= ${awayAtMs} order by created_at`,
  )
  console.log('written since:', names.join())
  expect(names).toEqual(
    expect.arrayContaining(['member.updated', 'member.left', 'recording.completed', 'room.ended']),
  )
  expect(await all.rest.sessionsOf(roomName)).toHaveLength(1)
}
