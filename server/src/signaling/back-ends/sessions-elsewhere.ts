import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import { type Cluster, NodeUnreachable } from '../../cluster/cluster.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { LiveSession } from '../../rooms/sessions/live-session.ts'
import type { SessionEvent } from '../../rooms/sessions/participant.ts'
import type { SessionRegistry } from '../../rooms/sessions/session-registry.ts'
import type { RpcRequest } from '../json-rpc.ts'
import type { Answerer } from '../room-methods/room-methods.ts'
import { encodedEvent, sessionDescription } from '../wire-events.ts'
import { roomSessionObject } from '../wire-objects.ts'
import { callForProject } from './call-for-project.ts'
import {
  type EventElsewhere,
  eventElsewhere,
  ORIGIN_TO_FILL_IN,
  type SessionElsewhere,
} from './event-elsewhere.ts'

/** How long another node may take to say what runs there. */
const ANSWER_MS = 2000
/** How long another node may take for a method. The slowest ones wait for a recording or a stream to begin. */
const METHOD_MS = 25_000
/** Sessions that are described in one message. */
const PORTION = 20

const SUBJECTS = {
  running: 'back-ends.running',
  rooms: 'back-ends.rooms',
  described: 'back-ends.described',
  called: 'back-ends.called',
} as const

/** A session that runs on another node. */
export interface RunningElsewhere extends SessionElsewhere {
  node: string
}

/** How a session is described: its start, its members and layout, or all of it in one event. */
export type Description = 'started' | 'state' | 'whole'

/** The answer to a method: a result, or an error of JSON-RPC. */
export type MethodAnswer = { result: object } | { error: { code: number; message: string } }

export interface SessionsElsewhereOptions {
  cluster: Cluster
  registry: Pick<SessionRegistry, 'runningSession' | 'runningSessions' | 'nodeOf'>
  clock: Clock
  log: Logger
}

interface OfProject {
  projectId: string
}
interface Described extends OfProject {
  ids: readonly string[]
  what: Description
}
interface Called extends OfProject {
  sessionId: string
  tokenId: string
  request: RpcRequest
}

/** The running sessions of other nodes, for the back ends of this one; and those of this node, for the others. */
export class SessionsElsewhere {
  readonly #options: SessionsElsewhereOptions

  constructor(options: SessionsElsewhereOptions) {
    this.#options = options
    const { cluster, registry } = options
    if (cluster.isAlone) return
    const { messages } = cluster
    messages.serve(SUBJECTS.running, async (asked) =>
      registry.runningSessions((asked as OfProject).projectId).map(brief),
    )
    messages.serve(SUBJECTS.rooms, async (asked) => {
      const { projectId, ids, origin } = asked as OfProject & { ids: readonly string[]; origin: string }
      return this.#here(projectId, ids).map((session) => roomSessionObject(session, origin))
    })
    messages.serve(SUBJECTS.described, async (asked) => {
      const { projectId, ids, what } = asked as Described
      return this.#here(projectId, ids).flatMap((session) => this.#describe(session, what))
    })
    messages.serve(SUBJECTS.called, (asked) => this.#called(asked as Called))
  }

  /** The other node that runs a session; null if none does. */
  async nodeOf(projectId: string, sessionId: unknown): Promise<string | null> {
    return typeof sessionId === 'string' ? this.#options.registry.nodeOf(projectId, sessionId) : null
  }

  /** A session that runs on another node. */
  async find(projectId: string, sessionId: unknown): Promise<RunningElsewhere | undefined> {
    const node = await this.nodeOf(projectId, sessionId)
    if (node === null) return undefined
    const running = await this.#ask<SessionElsewhere[]>(node, SUBJECTS.running, { projectId })
    const session = running?.find(({ id }) => id === sessionId)
    return session && { ...session, node }
  }

  /** All sessions of a project on other nodes. `isComplete` is false when a node did not answer. */
  async list(projectId: string): Promise<{ sessions: RunningElsewhere[]; isComplete: boolean }> {
    const { nodes, isConnected } = this.#options.cluster
    const answers = await Promise.all(
      nodes.others.map(async ({ name }) => {
        const running = await this.#ask<SessionElsewhere[]>(name, SUBJECTS.running, { projectId })
        return running?.map((session) => ({ ...session, node: name }))
      }),
    )
    return {
      sessions: answers.flatMap((running) => running ?? []),
      isComplete: isConnected && !answers.includes(undefined),
    }
  }

  /** Sessions as `video.rooms.get` shows them. @param origin URL where the back end reaches this service */
  rooms(projectId: string, sessions: readonly RunningElsewhere[], origin: string): Promise<object[]> {
    return this.#inPortions<object>(SUBJECTS.rooms, sessions, { projectId, origin })
  }

  describe(
    projectId: string,
    sessions: readonly RunningElsewhere[],
    what: Description,
  ): Promise<EventElsewhere[]> {
    return this.#inPortions<EventElsewhere>(SUBJECTS.described, sessions, { projectId, what })
  }

  /**
   * Has a node run a method on a session of it.
   * @throws Refusal as the method does, or `unavailable`
   */
  async call(node: string, called: Called): Promise<MethodAnswer> {
    try {
      return (await this.#options.cluster.messages.request(
        node,
        SUBJECTS.called,
        called,
        METHOD_MS,
      )) as MethodAnswer
    } catch (error) {
      if (!(error instanceof NodeUnreachable)) throw error
      const message = 'The server that has the room does not answer. Look at the room before you try again.'
      throw new Refusal('unavailable', { message, cause: error })
    }
  }

  async #inPortions<T>(
    subject: string,
    sessions: readonly RunningElsewhere[],
    about: OfProject & Partial<Described & { origin: string }>,
  ): Promise<T[]> {
    const found: T[] = []
    for (const [node, ofNode] of Map.groupBy(sessions, (session) => session.node)) {
      for (let start = 0; start < ofNode.length; start += PORTION) {
        const ids = ofNode.slice(start, start + PORTION).map(({ id }) => id)
        found.push(...((await this.#ask<T[]>(node, subject, { ...about, ids })) ?? []))
      }
    }
    return found
  }

  /** @returns undefined when the node does not answer: it may have died, and its sessions with it */
  async #ask<T>(node: string, subject: string, message: object): Promise<T | undefined> {
    try {
      return (await this.#options.cluster.messages.request(node, subject, message, ANSWER_MS)) as T
    } catch (error) {
      this.#options.log.warn({ err: error, node }, 'another node did not say what runs there')
      return undefined
    }
  }

  #here(projectId: string, ids: readonly string[]): LiveSession[] {
    return ids.flatMap((id) => this.#options.registry.runningSession(projectId, id) ?? [])
  }

  #describe(session: LiveSession, what: Description): EventElsewhere[] {
    if (what === 'started') return [this.#encoded({ session, type: 'room_started' })]
    if (what === 'whole') {
      const { id, frame } = sessionDescription(session, ORIGIN_TO_FILL_IN, this.#options.clock.now())
      return [{ type: 'subscribed', session: brief(session), id, frame: frame.toString() }]
    }
    return stateOf(session).map((event) => this.#encoded(event))
  }

  #encoded(event: SessionEvent): EventElsewhere {
    const receiver = { origin: ORIGIN_TO_FILL_IN, callIdOf: () => undefined, authorizationIn: () => ({}) }
    return eventElsewhere(event, encodedEvent(event, receiver, this.#options.clock.now()))
  }

  /** Runs a method for a back end of another node. */
  async #called({ projectId, sessionId, tokenId, request }: Called): Promise<MethodAnswer> {
    const { registry, log } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<MethodAnswer>()
    let isAnswered = false
    const answerOnce = (answer: MethodAnswer) => {
      isAnswered = true
      resolve(answer)
    }
    const answerer: Answerer = {
      reply: (_id, result) => answerOnce({ result }),
      replyError: (_id, code, message) => answerOnce({ error: { code, message } }),
    }
    const find = () => {
      const session = registry.runningSession(projectId, sessionId)
      if (session) return session
      throw new Refusal('provided_id_is_unrecognized', 'The project has no such room session in progress.')
    }
    callForProject(answerer, request, { find, tokenId }).catch((error: unknown) => {
      if (isAnswered) log.error({ err: error, method: request.method.slice(0, 100) }, 'request failed')
      else reject(error)
    })
    return promise
  }
}

const brief = ({ id, roomId, name }: SessionElsewhere): SessionElsewhere => ({ id, roomId, name })

/** Events that tell the state of a session to whoever knows it already. */
export function stateOf(session: LiveSession): SessionEvent[] {
  const members = session.members.map(
    (member): SessionEvent => ({
      session,
      type: 'member_updated',
      member,
      updated: [],
    }),
  )
  return [...members, { session, type: 'layout_changed', layout: session.layout }]
}
