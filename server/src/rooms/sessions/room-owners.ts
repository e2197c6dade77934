import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import { type Claim, type Cluster, ClusterAway } from '../../cluster/cluster.ts'
import { Refusal } from '../../errors/refusal.ts'

/** A room, as a token names it. */
export interface NamedRoom {
  project_id: string
  name: string
}

/** A room that nobody uses any more is kept for this long. Who leaves may come back at once, with a new socket. */
const LINGER_MS = 2000
/** How long a room is kept for clients that were sent here and have not arrived. */
const RESERVATION_MS = 10_000

interface Owned {
  room: NamedRoom
  users: Set<object>
  release: Timer | null
}

export interface RoomOwnersOptions {
  cluster: Pick<Cluster, 'claims' | 'nodes'>
  clock: Clock
  log: Logger
  /** Completes what an earlier owner left in progress, before anybody uses the room here. */
  onOwned: (room: NamedRoom, claim: Claim) => Promise<void>
  /** Called when this node owned a room, and does not any more. */
  onLost: (room: NamedRoom) => void
}

/**
 * The rooms that this node owns: at most one node owns a room at any time. A room is owned as long as it has users, such
 * as its session or its clients, and a moment longer.
 */
export class RoomOwners {
  readonly #options: RoomOwnersOptions
  readonly #owned = new Map<string, Owned>()
  readonly #settling = new Map<string, Promise<void>>()
  readonly #stopListening: () => void

  constructor(options: RoomOwnersOptions) {
    this.#options = options
    this.#stopListening = options.cluster.claims.onLost((key) => {
      const owned = this.#owned.get(key)
      if (!owned) return
      this.#forget(key, owned)
      options.onLost(owned.room)
    })
  }

  /** @returns the name of the node that owns the room; null when none does. @throws Refusal `unavailable` */
  async ownerOf(room: NamedRoom): Promise<string | null> {
    const { claims } = this.#options.cluster
    const key = keyOf(room)
    return (claims.held(key) ?? (await orUnavailable(claims.find(key))))?.node ?? null
  }

  /**
   * Owns the room for this user, if no other node does.
   * @throws Refusal `unavailable` when another node owns it, or that cannot be known now
   */
  async use(room: NamedRoom, user: object): Promise<Claim> {
    const claim = await this.#own(room)
    const { nodes } = this.#options.cluster
    if (claim.node !== nodes.self.name || !this.keep(room, user)) {
      throw new Refusal('unavailable', 'The room is on another server. Connect again.')
    }
    return claim
  }

  /** Keeps a room that this node owns now. @returns false when it does not */
  keep(room: NamedRoom, user: object): boolean {
    const owned = this.#owned.get(keyOf(room))
    if (!owned) return false
    owned.release?.cancel()
    owned.release = null
    owned.users.add(user)
    return true
  }

  /** The user needs the room no more. */
  leave(room: NamedRoom, user: object): void {
    const key = keyOf(room)
    const owned = this.#owned.get(key)
    if (owned?.users.delete(user) && owned.users.size === 0) this.#releaseIn(LINGER_MS, key, owned)
  }

  /** Lets go of a room at once, whoever uses it here: another node may begin it now. */
  async giveUp(room: NamedRoom): Promise<void> {
    const key = keyOf(room)
    const owned = this.#owned.get(key)
    if (owned) this.#forget(key, owned)
    await this.#options.cluster.claims.release(key)
  }

  /**
   * Owns the room for clients that are about to come, if no other node does.
   * @returns the name of the node that owns it
   */
  async reserve(room: NamedRoom): Promise<string> {
    const claim = await this.#own(room)
    const owned = this.#owned.get(claim.key)
    if (owned && owned.users.size === 0) this.#releaseIn(RESERVATION_MS, claim.key, owned)
    return claim.node
  }

  stop(): void {
    this.#stopListening()
    for (const [key, owned] of this.#owned) this.#forget(key, owned)
  }

  async #own(room: NamedRoom): Promise<Claim> {
    const { cluster, onOwned } = this.#options
    const key = keyOf(room)
    const claim = await orUnavailable(cluster.claims.claim(key))
    if (claim.node !== cluster.nodes.self.name) return claim
    if (!this.#owned.has(key)) {
      this.#owned.set(key, { room, users: new Set(), release: null })
      const settling = onOwned(room, claim).finally(() => this.#settling.delete(key))
      this.#settling.set(key, settling)
    }
    await this.#settling.get(key)
    return claim
  }

  #releaseIn(delayMs: number, key: string, owned: Owned): void {
    owned.release?.cancel()
    owned.release = this.#options.clock.after(delayMs, () => {
      this.#forget(key, owned)
      void this.#options.cluster.claims.release(key)
    })
  }

  #forget(key: string, owned: Owned): void {
    owned.release?.cancel()
    if (this.#owned.get(key) === owned) this.#owned.delete(key)
  }
}

/** Names may have any character, and the keys of NATS may not. */
function keyOf({ project_id, name }: NamedRoom): string {
  return `room.${project_id}.${createHash('sha256').update(name).digest('base64url')}`
}

async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ClusterAway)) throw error
    const message = 'The servers cannot reach each other. Try again in a minute.'
    throw new Refusal('unavailable', { message, cause: error })
  }
}
