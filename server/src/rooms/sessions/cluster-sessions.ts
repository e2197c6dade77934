import type { Logger } from 'pino'
import { type Cluster, NodeUnreachable } from '../../cluster/cluster.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { Storage } from '../../storage/storage.ts'
import {
  type EndReason,
  type LiveSessions,
  type SessionDoor,
  type StreamCondition,
  WAITING,
} from '../live-sessions.ts'
import type { TokenKey } from '../token-key.ts'

/** The methods that other nodes may call, and how long each answer may take, in milliseconds. */
const DEADLINES_MS = {
  endForRoom: 15_000,
  doorOf: 2000,
  stopRecording: 30_000,
  recordedMs: 2000,
  streamsChanged: 2000,
  streamCondition: 2000,
  streamsOfMembers: 2000,
  voidToken: 5000,
  written: 1500,
} as const satisfies Partial<Record<keyof LiveSessions, number>>
type Method = keyof typeof DEADLINES_MS

const subjectOf = (method: Method) =>
  `sessions.${method.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

export interface ClusterSessionsOptions {
  local: LiveSessions
  cluster: Pick<Cluster, 'nodes' | 'messages'>
  storage: Pick<Storage, 'sessions' | 'recordings'>
  log: Logger
}

/** The running sessions of all nodes: what is asked of one is passed on to the node that runs it. */
export class ClusterSessions implements LiveSessions {
  readonly #options: ClusterSessionsOptions
  readonly #ends: (() => void)[]

  constructor(options: ClusterSessionsOptions) {
    this.#options = options
    const { cluster, local } = options
    this.#ends = (Object.keys(DEADLINES_MS) as Method[]).map((method) =>
      cluster.messages.serve(subjectOf(method), async (parameters) => {
        const work = local[method] as (...values: unknown[]) => unknown
        return work.apply(local, parameters as unknown[])
      }),
    )
  }

  expectJoin(): void {
    this.#options.local.expectJoin()
  }

  async endForRoom(projectId: string, roomId: string, reason: EndReason): Promise<void> {
    const node = await this.#nodeOfRoom(projectId, roomId)
    await this.#ask(node, 'endForRoom', [projectId, roomId, reason])
  }

  async doorOf(projectId: string, roomId: string): Promise<SessionDoor | null> {
    const node = await this.#nodeOfRoom(projectId, roomId)
    return this.#orElse(null, this.#ask(node, 'doorOf', [projectId, roomId]))
  }

  async stopRecording(projectId: string, recordingId: string): Promise<void> {
    await this.#ask(await this.#nodeOfRecording(projectId, recordingId), 'stopRecording', [
      projectId,
      recordingId,
    ])
  }

  async recordedMs(projectId: string, recordingId: string): Promise<number | null> {
    const node = await this.#nodeOfRecording(projectId, recordingId)
    return this.#orElse(null, this.#ask(node, 'recordedMs', [projectId, recordingId]))
  }

  streamsChanged(projectId: string, roomId: string): void {
    const tell = async () =>
      this.#ask(await this.#nodeOfRoom(projectId, roomId), 'streamsChanged', [projectId, roomId])
    tell().catch((error: unknown) =>
      this.#options.log.warn({ err: error, roomId }, 'the node of a session does not know its streams yet'),
    )
  }

  async streamCondition(projectId: string, roomId: string, streamId: string): Promise<StreamCondition> {
    const node = await this.#nodeOfRoom(projectId, roomId)
    return this.#orElse(WAITING, this.#ask(node, 'streamCondition', [projectId, roomId, streamId]))
  }

  async streamsOfMembers(projectId: string, roomId: string): Promise<number> {
    const node = await this.#nodeOfRoom(projectId, roomId)
    return this.#orElse(0, this.#ask(node, 'streamsOfMembers', [projectId, roomId]))
  }

  /** A node that cannot be asked reads from the database within seconds that the token is void. */
  async voidToken(
    projectId: string,
    token: TokenKey,
    reason: 'token_revoked' | 'token_reset',
  ): Promise<void> {
    const { local } = this.#options
    await Promise.all([
      local.voidToken(projectId, token, reason),
      ...this.#others().map((name) =>
        this.#orElse(null, this.#ask(name, 'voidToken', [projectId, token, reason])),
      ),
    ])
  }

  /** What is not written yet is of sessions and recordings that storage has as running: their beginning is written first. */
  async written(projectId: string, of: 'everything' | 'recordings' = 'everything'): Promise<void> {
    const { local, storage } = this.#options
    const owners =
      of === 'recordings'
        ? await storage.recordings.ownersOfUnfinished(projectId)
        : await storage.sessions.ownersInProgress(projectId)
    const asked = this.#others().filter((name) => owners.includes(name))
    await Promise.all([
      local.written(projectId),
      ...asked.map((name) => this.#orElse(null, this.#ask(name, 'written', [projectId]))),
    ])
  }

  stop(): void {
    for (const end of this.#ends) end()
  }

  /** Names of the other nodes. One that was idle at its last heartbeat may have begun a session since. */
  #others(): string[] {
    return this.#options.cluster.nodes.others.map(({ name }) => name)
  }

  /** The node that runs the session in progress of a room; this one if there is none. */
  async #nodeOfRoom(projectId: string, roomId: string): Promise<string> {
    const { storage, cluster } = this.#options
    const active = await storage.sessions.findActiveByRooms(projectId, [roomId])
    return active.get(roomId)?.owner_node ?? cluster.nodes.self.name
  }

  async #nodeOfRecording(projectId: string, recordingId: string): Promise<string> {
    const { storage, cluster } = this.#options
    const recording = await storage.recordings.find(projectId, recordingId)
    const session = recording && (await storage.sessions.find(projectId, recording.room_session_id))
    return session?.owner_node ?? cluster.nodes.self.name
  }

  /** @throws Refusal of the other node, or `unavailable` */
  async #ask<T>(node: string, method: Method, parameters: unknown[]): Promise<T> {
    const { messages } = this.#options.cluster
    try {
      return (await messages.request(node, subjectOf(method), parameters, DEADLINES_MS[method])) as T
    } catch (error) {
      if (!(error instanceof NodeUnreachable)) throw error
      const message = 'The server of this session does not answer. Try again in a few seconds.'
      throw new Refusal('unavailable', { message, cause: error })
    }
  }

  /** What only describes a session is left out when its node does not answer. */
  async #orElse<T>(otherwise: T, answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      this.#options.log.debug({ err: error }, 'a node did not tell about its sessions')
      return otherwise
    }
  }
}
