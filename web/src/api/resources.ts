import type { Resources } from '@parley/api-client'

/** Resources of the video API, as its document describes them. Times are ISO 8601, UTC. */

export type Quality = Resources['Room']['quality']

/** A room with its session in progress, which is null while nobody is in. */
export type Room = Resources['Room'] & { active_session: ActiveSession | null }
/** The session of a room that is in progress. */
export type ActiveSession = Resources['ActiveSession']
export type NewRoom = Resources['CreateRoom']
export type RoomSession = Resources['ListedRoomSession']
export type SessionMember = Resources['SessionMember']
export type Recording = Resources['RoomRecording']
/** What a room token lets its holder do. The join times and the rest of its fields keep their defaults. */
export type NewRoomToken = Resources['CreateRoomToken']
export type Permission = NonNullable<NewRoomToken['permissions']>[number]

/** One page of a list. `next` is the path of the page after it, null on the last one. */
export interface Page<Item> {
  data: Item[]
  links: Resources['PageLinks']
}

/** What the credentials belong to. The API itself does not tell it; the server tells its own pages. */
export interface Project {
  id: string
  name: string
}
