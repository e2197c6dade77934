import { newId } from '../ids.ts'
import { ROOM_TOKEN_DEFAULTS, type RoomTokenGrant } from './room-token.ts'

/** A whole grant for tests, which name only what they are about. */
export const sampleRoomTokenGrant = (
  fields: Partial<RoomTokenGrant> & { project_id: string },
): RoomTokenGrant => ({
  ...ROOM_TOKEN_DEFAULTS,
  id: newId(),
  room_name: 'standup',
  user_name: 'Ada',
  issued_at: Date.now(),
  ...fields,
})
