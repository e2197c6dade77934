import { bodyReader } from '../../resources/bodies.ts'
import { conferenceFields } from '../../resources/conference.ts'
import { roomFields } from '../../resources/room-fields.ts'

/** Reads the settings in the body of a request to create or update a room. */
export const readRoomSettings = bodyReader(roomFields, 'room')

/** Reads the settings in the body of a request to create or update a conference. */
export const readConferenceSettings = bodyReader(conferenceFields, 'conference')
