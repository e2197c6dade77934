import { unrecognized } from '../rooms/changes.ts'
import type { LiveSession } from '../rooms/sessions/live-session.ts'
import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'

/** Rooms on one wall at most: nobody looks at more. */
const ROOMS_SHOWN = 100

/** The running rooms of a project. Both methods read memory alone. */
export interface LiveRooms {
  /** The newest first, at most {@link ROOMS_SHOWN}. */
  list(projectId: string): { total: number; rooms: LiveSession[] }
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, sessionId: string): LiveSession
}

/** Creates {@link LiveRooms}. */
export function createLiveRooms({
  sessions,
}: {
  sessions: Pick<SessionRegistry, 'runningSession' | 'runningSessions'>
}): LiveRooms {
  return {
    list(projectId) {
      const running = sessions.runningSessions(projectId)
      return { total: running.length, rooms: running.slice(-ROOMS_SHOWN).reverse() }
    },
    get(projectId, sessionId) {
      const session = sessions.runningSession(projectId, sessionId)
      if (!session) throw unrecognized()
      return session
    },
  }
}
