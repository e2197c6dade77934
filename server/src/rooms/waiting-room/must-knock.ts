import type { RoomRecord } from '../../storage/records.ts'
import type { RoomTokenGrant } from '../room-token.ts'

/** Who may lock a room may open its door, and need not knock. */
export const isDoorkeeper = ({ permissions }: Pick<RoomTokenGrant, 'permissions'>): boolean =>
  permissions.includes('room.lock')

/** Whether somebody must wait until a moderator lets them in. An audience is not asked: nobody sees or hears it. */
export function mustKnock(
  room: Pick<RoomRecord, 'waiting_room'>,
  grant: Pick<RoomTokenGrant, 'permissions' | 'join_as' | 'isLetIn'>,
): boolean {
  return room.waiting_room && !grant.isLetIn && grant.join_as !== 'audience' && !isDoorkeeper(grant)
}
