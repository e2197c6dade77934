import { bodyReader } from '../../resources/bodies.ts'
import { conferenceFields } from '../../resources/conference.ts'
import { parseMoment } from '../../resources/dates.ts'
import { roomFields } from '../../resources/room-fields.ts'

/** Reads the settings in the body of a request to create or update a room. */
export const readRoomSettings = bodyReader(roomFields, 'room')

/** Reads the settings in the body of a request to create or update a conference. */
export const readConferenceSettings = bodyReader(conferenceFields, 'conference')

/** A date that has been validated. */
export function readMoment(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : (parseMoment(text) ?? null)
}
