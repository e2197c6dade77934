import type { Resources } from '@parley/api-client'

/** Resources of the video API, as the API document describes them. Times are ISO 8601, UTC. */

export type Quality = Resources['Room']['quality']

/** A room with its active session. The session is null while nobody is in the room. */
export type Room = Resources['Room'] & { active_session: ActiveSession | null }
/** The active session of a room. */
export type ActiveSession = Resources['ActiveSession']
export type NewRoom = Resources['CreateRoom']
export type RoomSession = Resources['ListedRoomSession']
export type SessionMember = Resources['SessionMember']
export type Recording = Resources['RoomRecording']
/** The permissions and settings of a room token. The join times and other fields keep their defaults. */
export type NewRoomToken = Resources['CreateRoomToken']
export type Permission = NonNullable<NewRoomToken['permissions']>[number]

/** One page of a list. `next` is the path of the next page, null on the last one. */
export interface Page<Item> {
  data: Item[]
  links: Resources['PageLinks']
}

/** The project of the credentials. The API does not provide it; the server provides it to its own pages. */
export interface Project {
  id: string
  name: string
}
