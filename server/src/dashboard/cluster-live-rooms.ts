import { askAll } from '../cluster/ask-all.ts'
import { type Cluster, NodeUnreachable } from '../cluster/cluster.ts'
import { Refusal } from '../errors/refusal.ts'
import type { LiveRoom } from '../resources/live-room.ts'
import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'
import { addFigures, type LiveFigures, liveFigures } from './live-figures.ts'
import { type LiveRooms, ROOMS_SHOWN } from './live-rooms.ts'
import type { RoomActs } from './room-acts.ts'

/** How long another node may take to say what runs there. */
const ANSWER_MS = 2000
/** How long an act may take. The slowest ones wait for a recording or a stream to begin. */
const ACT_MS = 25_000

const ACTS = [
  'mute',
  'setLocked',
  'setLayout',
  'say',
  'record',
  'stopRecording',
  'stream',
  'stopStreams',
  'end',
] as const
type Act = (typeof ACTS)[number]

export interface ClusterLiveRoomsOptions {
  cluster: Cluster
  sessions: Pick<SessionRegistry, 'runningSession' | 'runningSessions' | 'nodeOf'>
  /** Those of this node. */
  rooms: LiveRooms
  /** Those on rooms of this node. */
  acts: RoomActs
}

/** The running rooms of all nodes, and what can be done to them. */
export interface ClusterLiveRooms {
  rooms: LiveRooms
  acts: RoomActs
  /** What happens in a project now, on all nodes. */
  figures(projectId: string): Promise<LiveFigures>
}

/** Passes on to other nodes what concerns their rooms. */
export function clusterLiveRooms({
  cluster,
  sessions,
  rooms,
  acts,
}: ClusterLiveRoomsOptions): ClusterLiveRooms {
  const { messages } = cluster
  messages.serve('live-rooms.list', async (asked) => {
    const { projectId, origin } = asked as { projectId: string; origin: string }
    return rooms.list(projectId, origin)
  })
  messages.serve('live-rooms.get', async (asked) => {
    const { projectId, sessionId, origin } = asked as { projectId: string; sessionId: string; origin: string }
    return rooms.get(projectId, sessionId, origin)
  })
  messages.serve('live-rooms.figures', async (projectId) => liveFigures(sessions, projectId as string))
  messages.serve('live-rooms.act', async (asked) => {
    const { act, values } = asked as { act: Act; values: unknown[] }
    if (ACTS.includes(act))
      return (acts[act] as (...values: unknown[]) => Promise<unknown>).apply(acts, values)
  })

  /** The other node that runs a session; null for those of this node, and for none. */
  async function nodeOf(projectId: string, sessionId: string): Promise<string | null> {
    return sessions.runningSession(projectId, sessionId) ? null : sessions.nodeOf(projectId, sessionId)
  }

  async function ask<T>(node: string, subject: string, message: unknown, timeoutMs: number): Promise<T> {
    try {
      return (await messages.request(node, subject, message, timeoutMs)) as T
    } catch (error) {
      if (!(error instanceof NodeUnreachable)) throw error
      const message = 'The server of this room does not answer. Look at the room before you try again.'
      throw new Refusal('unavailable', { message, cause: error })
    }
  }

  const anywhere =
    (act: Act) =>
    async (about: { projectId: string; sessionId: string }, ...rest: unknown[]) => {
      const node = await nodeOf(about.projectId, about.sessionId)
      const values = [about, ...rest]
      if (node !== null) return ask(node, 'live-rooms.act', { act, values }, ACT_MS)
      return (acts[act] as (...values: unknown[]) => Promise<unknown>).apply(acts, values)
    }

  return {
    rooms: {
      async list(projectId, origin) {
        const elsewhere = askAll<{ total: number; data: LiveRoom[] }>(
          cluster,
          'live-rooms.list',
          { projectId, origin },
          ANSWER_MS,
        )
        const lists = [await rooms.list(projectId, origin), ...(await elsewhere)]
        const newestFirst = (one: LiveRoom, other: LiveRoom) => (one.start_time < other.start_time ? 1 : -1)
        return {
          total: lists.reduce((sum, { total }) => sum + total, 0),
          data: lists
            .flatMap(({ data }) => data)
            .sort(newestFirst)
            .slice(0, ROOMS_SHOWN),
        }
      },
      async get(projectId, sessionId, origin) {
        const node = await nodeOf(projectId, sessionId)
        if (node === null) return rooms.get(projectId, sessionId, origin)
        return ask(node, 'live-rooms.get', { projectId, sessionId, origin }, ANSWER_MS)
      },
    },
    acts: Object.fromEntries(ACTS.map((act) => [act, anywhere(act)])) as unknown as RoomActs,
    async figures(projectId) {
      const own = liveFigures(sessions, projectId)
      return (await askAll<LiveFigures>(cluster, 'live-rooms.figures', projectId, ANSWER_MS)).reduce(
        addFigures,
        own,
      )
    },
  }
}
