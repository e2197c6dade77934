import type { LiveRoom } from '../resources/live-room.ts'
import { unrecognized } from '../rooms/changes.ts'
import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'
import { showLiveRoom } from './show-live-room.ts'

/** Rooms on one wall at most: nobody looks at more. */
export const ROOMS_SHOWN = 100

/** The running rooms of a project. */
export interface LiveRooms {
  /** The newest first, at most {@link ROOMS_SHOWN}. @param origin URL where the caller reaches this service */
  list(projectId: string, origin: string): Promise<{ total: number; data: LiveRoom[] }>
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, sessionId: string, origin: string): Promise<LiveRoom>
}

/** Creates {@link LiveRooms} of this node. @param options.roomChat whether rooms that are no conferences have a chat */
export function createLiveRooms({
  sessions,
  roomChat,
}: {
  sessions: Pick<SessionRegistry, 'runningSession' | 'runningSessions'>
  roomChat: boolean
}): LiveRooms {
  return {
    async list(projectId, origin) {
      const running = sessions.runningSessions(projectId)
      const newest = running.slice(-ROOMS_SHOWN).reverse()
      return { total: running.length, data: newest.map((room) => showLiveRoom(room, origin, roomChat)) }
    },
    async get(projectId, sessionId, origin) {
      const session = sessions.runningSession(projectId, sessionId)
      if (!session) throw unrecognized()
      return showLiveRoom(session, origin, roomChat)
    },
  }
}
