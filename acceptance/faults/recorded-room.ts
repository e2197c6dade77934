import type { Persona } from '../testing/colours.ts'
import { eventually } from '../testing/eventually.ts'
import type { Participant } from '../testing/participant.ts'
import type { Deployment } from '../testing/use-deployment.ts'

/** A participant who is alone in a room that is being recorded. */
export interface RecordedVisit {
  member: Participant
  roomName: string
  recordingId: string
}

/**
 * Creates a room that records from the start, lets a participant enter it, and waits until its recording runs.
 * @param settings further settings of the room
 */
export async function enterRecordedRoom(
  deployment: Deployment,
  persona: Persona,
  settings: Record<string, unknown> = {},
): Promise<RecordedVisit> {
  const { rest } = deployment
  const roomName = deployment.roomName()
  await rest.createRoom({ name: roomName, record_on_start: true, ...settings })
  const member = await deployment.enter(persona, { room_name: roomName })
  const [recording] = await eventually(
    'the recording that runs',
    () => rest.sessionRecordings(member.roomSessionId),
    ([first]) => first?.started_at != null,
  )
  return { member, roomName, recordingId: recording?.id ?? '' }
}
