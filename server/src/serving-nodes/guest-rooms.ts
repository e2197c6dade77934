import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Cluster, type ClusterNode, NodeUnreachable } from '../cluster/cluster.ts'
import type { LegOptions, ServedRoomOptions } from '../media/channel.ts'
import { type MediaRoom, MediaWorkerGone } from '../media/media-plane.ts'
import type { ViewerNotice } from '../media/viewer-host.ts'
import { FeedEntrance } from './feed-entrance.ts'
import { ASK, type Ask, type DistantFeed, type Reply, TELL, type Told, type Wish } from './messages.ts'

const TELL_MS = 1500
/** Tries to tell an owner something. Who cannot be reached for longer owns nothing any more. */
const TRIES = 4
const RETRY_MS = 1000
/** Notices of a room that wait. An owner that is so far behind is given up. */
const MOST_WAITING = 5000

/** What media workers do for rooms of other nodes. */
export interface ViewerMedia {
  serveRoom(options: ServedRoomOptions): Promise<MediaRoom>
  /** Resolves once all workers have loaded what rooms need. */
  whenPrepared(): Promise<void>
}

export interface GuestRoomsOptions {
  cluster: Cluster
  media: ViewerMedia
  log: Logger
}

/** One room of another node. */
interface Guest {
  sessionId: string
  owner: ClusterNode
  entrance: FeedEntrance
  room: MediaRoom
  /** Ids of the legs of its viewers. */
  legs: Set<string>
  /** The last notice that is on its way. */
  telling: Promise<void>
  waiting: number
}

/** How many rooms of other nodes have viewers here, and how many legs these have. */
export interface ServedForOthers {
  rooms: number
  legs: number
}

/** The rooms of other nodes of which this one serves viewers. */
export class GuestRooms {
  readonly #options: GuestRoomsOptions
  /** By session. Begun ones are there at once. */
  readonly #guests = new Map<string, Promise<Guest>>()
  /** Those that have begun. */
  readonly #open = new Set<Guest>()
  readonly #ends: (() => void)[]
  #isStopped = false

  constructor(options: GuestRoomsOptions) {
    this.#options = options
    const { messages, nodes } = options.cluster
    this.#ends = [
      messages.serve(ASK, (ask, from) => this.#answer(ask as Ask, from)),
      nodes.onGone((node) => void this.#leave(node)),
    ]
  }

  /** What this node does for others. */
  get served(): ServedForOthers {
    const guests = [...this.#open]
    return { rooms: guests.length, legs: guests.reduce((sum, { legs }) => sum + legs.size, 0) }
  }

  /** Sends all viewers back to the owners of their rooms. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const end of this.#ends) end()
    const notice: ViewerNotice = { event: 'died', params: { reason: 'the node stops' } }
    const sendBack = async (opening: Promise<Guest>) => {
      const guest = await opening.catch(() => null)
      if (!guest) return
      await this.#send(guest, notice).catch(() => {})
      await this.#close(guest)
    }
    await Promise.all([...this.#guests.values()].map(sendBack))
  }

  async #answer({ run, ...wish }: Ask, from: string): Promise<Reply> {
    try {
      const { nodes } = this.#options.cluster
      if (run !== nodes.self.run) throw new MediaWorkerGone('the node has started anew')
      return { result: (await this.#grant(wish, from)) ?? null }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      this.#options.log.warn({ err: error, node: from, method: wish.method }, 'wish of another node refused')
      return { error: text, isGone: error instanceof MediaWorkerGone }
    }
  }

  async #grant(wish: Wish, from: string): Promise<unknown> {
    switch (wish.method) {
      case 'prepare':
        return this.#options.media.whenPrepared()
      case 'serveRoom':
        return this.#serve(wish.sessionId, wish.feed, from)
      case 'closeRoom': {
        const guest = await this.#guests.get(wish.sessionId)?.catch(() => null)
        return guest?.owner.name === from ? this.#close(guest) : null
      }
      case 'connectLeg':
        return connectLeg(await this.#guestOf(wish.sessionId, from), wish.leg)
      case 'closeLeg': {
        const { room, legs } = await this.#guestOf(wish.sessionId, from)
        legs.delete(wish.legId)
        return room.closeLeg(wish.legId)
      }
      case 'setMember':
        return (await this.#guestOf(wish.sessionId, from)).room.setMember(wish.member)
      case 'removeMember':
        return (await this.#guestOf(wish.sessionId, from)).room.removeMember(wish.memberId)
    }
  }

  async #guestOf(sessionId: string, from: string): Promise<Guest> {
    const guest = await this.#guests.get(sessionId)
    if (guest?.owner.name !== from) throw new MediaWorkerGone(`room ${sessionId} is not served here`)
    return guest
  }

  async #serve(sessionId: string, feed: DistantFeed, from: string): Promise<void> {
    const { nodes } = this.#options.cluster
    const owner = nodes.find(from)
    if (!owner || this.#isStopped || nodes.self.isDraining)
      throw new MediaWorkerGone('the node serves nobody')
    if (this.#guests.has(sessionId)) throw new Error(`room ${sessionId} is served already`)
    const opening = this.#begin(sessionId, feed, owner)
    this.#guests.set(sessionId, opening)
    try {
      await opening
      this.#options.log.info({ sessionId, node: owner.name }, 'viewers of a room of another node are served')
    } catch (error) {
      this.#guests.delete(sessionId)
      throw error
    }
  }

  async #begin(sessionId: string, feed: DistantFeed, owner: ClusterNode): Promise<Guest> {
    const { media, log } = this.#options
    const entrance = await FeedEntrance.open(owner, feed.feedId, log)
    try {
      const room = await media.serveRoom({ sessionId, feed: { ...feed, ...entrance.address } })
      const legs = new Set<string>()
      const guest: Guest = { sessionId, owner, entrance, room, legs, telling: Promise.resolve(), waiting: 0 }
      room.on('leg', (params) => this.#tell(guest, { event: 'leg', params }))
      room.on('legGone', (params) => {
        legs.delete(params.legId)
        this.#tell(guest, { event: 'legGone', params })
      })
      room.on('died', (params) => {
        this.#tell(guest, { event: 'died', params })
        void this.#close(guest)
      })
      this.#open.add(guest)
      return guest
    } catch (error) {
      entrance.close()
      throw error
    }
  }

  /** Notices arrive in their order. */
  #tell(guest: Guest, notice: ViewerNotice): void {
    if (++guest.waiting > MOST_WAITING) return void this.#close(guest)
    guest.telling = guest.telling
      .then(() => this.#send(guest, notice))
      .catch(() => this.#close(guest))
      .finally(() => {
        guest.waiting--
      })
  }

  async #send({ owner, sessionId }: Guest, notice: ViewerNotice): Promise<void> {
    const { messages, nodes } = this.#options.cluster
    const told: Told = { run: nodes.self.run, sessionId, notice }
    for (let left = TRIES; ; left--) {
      try {
        await messages.request(owner.name, TELL, told, TELL_MS)
        return
      } catch (error) {
        const isOver = this.#isStopped || nodes.find(owner.name)?.run !== owner.run
        if (!(error instanceof NodeUnreachable) || left === 1 || isOver) throw error
        await sleep(RETRY_MS, undefined, { ref: false })
      }
    }
  }

  /** Their owner is gone, and so are they. */
  async #leave({ run }: ClusterNode): Promise<void> {
    for (const opening of [...this.#guests.values()]) {
      const guest = await opening.catch(() => null)
      if (guest?.owner.run === run) await this.#close(guest)
    }
  }

  /** Idempotent. Never rejects. */
  async #close(guest: Guest): Promise<void> {
    const { sessionId, entrance, room } = guest
    this.#open.delete(guest)
    if ((await this.#guests.get(sessionId)?.catch(() => null)) === guest) this.#guests.delete(sessionId)
    entrance.close()
    // Its worker may be gone.
    await room.close().catch(() => {})
  }
}

/** A leg counts from the beginning, because it may be gone again when its answer is there. */
async function connectLeg({ room, legs }: Guest, leg: LegOptions): Promise<unknown> {
  legs.add(leg.legId)
  try {
    return await room.connectLeg(leg)
  } catch (error) {
    legs.delete(leg.legId)
    throw error
  }
}
