import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { type ClusterNode, type Messages, NodeUnreachable } from '../cluster/cluster.ts'
import { Refusal } from '../errors/refusal.ts'
import type { LegOptions, MemberMedia, ServedRoomOptions } from '../media/channel.ts'
import { MediaWorkerGone } from '../media/media-plane.ts'
import type { ServingMethods, ServingRoomMethods, ViewerHost } from '../media/viewer-host.ts'
import type { FeedExits } from './feed-exits.ts'
import { ASK, type Ask, type Reply, type Wish } from './messages.ts'

/** Together with a second try at this node, less than a join waits for its answer. */
const ANSWER_MS = 2000
/** The other node may have to load what rooms need. */
const PREPARE_MS = 20_000
/** A node that did not answer gets no viewers for so long. */
const REST_MS = 10_000

export interface RemoteNodeOptions {
  node: ClusterNode
  messages: Messages
  exits: FeedExits
  clock: Clock
  log: Logger
  /** It says that it does not serve this session. */
  onRoomGone: (sessionId: string) => void
}

/** One run of another node, as a host for viewers of rooms of this one. */
export class RemoteNode implements ViewerHost {
  readonly name: string
  readonly run: string
  /** The feeds of the rooms of which it serves viewers, by session. */
  readonly #feeds = new Map<string, string>()
  readonly #options: RemoteNodeOptions
  #state: 'unasked' | 'preparing' | 'prepared' = 'unasked'
  #restsUntilMs = Number.NEGATIVE_INFINITY

  constructor(options: RemoteNodeOptions) {
    this.#options = options
    this.name = options.node.name
    this.run = options.node.run
  }

  get facts(): { node: string } {
    return { node: this.name }
  }

  /** The sessions of whose viewers it serves some. */
  get sessions(): readonly string[] {
    return [...this.#feeds.keys()]
  }

  /** Whether it can serve at once. If that is not known yet, it is asked to prepare. */
  get isReady(): boolean {
    if (this.#options.clock.monotonicMs() < this.#restsUntilMs) return false
    if (this.#state === 'unasked') void this.#prepare()
    return this.#state === 'prepared'
  }

  async call<M extends keyof ServingMethods>(
    method: M,
    ...args: Parameters<ServingMethods[M]>
  ): Promise<ReturnType<ServingMethods[M]>> {
    const [subject] = args
    const result =
      method === 'serveRoom'
        ? await this.#serveRoom(subject as ServedRoomOptions)
        : await this.#closeRoom(subject as string)
    return result as ReturnType<ServingMethods[M]>
  }

  async callRoom<M extends keyof ServingRoomMethods>(
    sessionId: string,
    method: M,
    args: Parameters<ServingRoomMethods[M]>,
  ): Promise<ReturnType<ServingRoomMethods[M]>> {
    try {
      return (await this.#ask(wishOf(sessionId, method, args[0]))) as ReturnType<ServingRoomMethods[M]>
    } catch (error) {
      // Who only does not answer may still serve.
      if (error instanceof MediaWorkerGone && error.cause === undefined) this.#options.onRoomGone(sessionId)
      throw error
    }
  }

  async #serveRoom({ sessionId, feed }: ServedRoomOptions): Promise<void> {
    const { feedId, secret, fullBitrateBps } = feed
    this.#feeds.set(sessionId, feedId)
    this.#options.exits.offer(feedId, feed)
    try {
      await this.#ask({ method: 'serveRoom', sessionId, feed: { feedId, secret, fullBitrateBps } })
    } catch (error) {
      // It may have begun to serve after all.
      this.#closeRoom(sessionId).catch(() => {})
      throw error
    }
  }

  async #closeRoom(sessionId: string): Promise<[]> {
    const feedId = this.#feeds.get(sessionId)
    if (feedId !== undefined) this.#options.exits.withdraw(feedId)
    this.#feeds.delete(sessionId)
    await this.#ask({ method: 'closeRoom', sessionId })
    return []
  }

  async #prepare(): Promise<void> {
    this.#state = 'preparing'
    try {
      await this.#ask({ method: 'prepare' }, PREPARE_MS)
      this.#state = 'prepared'
      this.#options.log.info(this.facts, 'node is ready to serve viewers')
    } catch {
      this.#state = 'unasked'
    }
  }

  async #ask(wish: Wish, timeoutMs = ANSWER_MS): Promise<unknown> {
    const { messages, clock } = this.#options
    const ask: Ask = { ...wish, run: this.run }
    let reply: Reply
    try {
      reply = (await messages.request(this.name, ASK, ask, timeoutMs)) as Reply
    } catch (error) {
      if (!(error instanceof NodeUnreachable || error instanceof Refusal)) throw error
      this.#restsUntilMs = clock.monotonicMs() + REST_MS
      throw new MediaWorkerGone(`node ${this.name} does not answer`, { cause: error })
    }
    if ('result' in reply) return reply.result
    throw reply.isGone ? new MediaWorkerGone(reply.error) : new Error(reply.error)
  }
}

function wishOf(sessionId: string, method: keyof ServingRoomMethods, subject: unknown): Wish {
  switch (method) {
    case 'connectLeg':
      return { method, sessionId, leg: subject as LegOptions }
    case 'closeLeg':
      return { method, sessionId, legId: subject as string }
    case 'setMember':
      return { method, sessionId, member: subject as MemberMedia }
    case 'removeMember':
      return { method, sessionId, memberId: subject as string }
  }
}
