import { newId } from '../ids.ts'
import { ROOM_TOKEN_DEFAULTS, type RoomTokenGrant } from '../rooms/room-token.ts'

/** A complete grant for tests. A test gives only the fields that it is about. */
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
