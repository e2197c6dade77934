import type { ConferenceSettings, RoomRecord } from '../storage/records.ts'

/** A room with its own theme, size and tokens. */
export type Conference = RoomRecord & { conference: ConferenceSettings }

/** A room without settings of a conference is none. */
export const isConference = (room: RoomRecord): room is Conference => room.conference !== null
