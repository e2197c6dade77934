import { hash } from 'node:crypto'
import { type Cluster, NodeUnreachable } from '../../cluster/cluster.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { PassHolder } from './waiting-pass.ts'
import type { KnockState, ShownKnock, WaitingRooms } from './waiting-rooms.ts'

/** A question waits some 20 s for news. */
const ANSWER_MS = 25_000
const SUBJECT = 'waiting-rooms.asked'

/** The methods that go to the node that has the waiting room. */
const METHODS = ['knock', 'answerTo', 'leave', 'list', 'decide'] as const
type Method = (typeof METHODS)[number]

interface Asked {
  method: Method
  values: unknown[]
}

/**
 * The waiting rooms of a cluster. Each room's is on one node, which all nodes know by its name (rendezvous hashing): rooms
 * need no session for it. When nodes come or go, some waiting rooms move, and their people knock again.
 */
export class ClusterWaitingRooms {
  readonly #local: WaitingRooms
  readonly #cluster: Cluster

  constructor(local: WaitingRooms, cluster: Cluster) {
    this.#local = local
    this.#cluster = cluster
    cluster.messages.serve(SUBJECT, async (asked) => {
      const { method, values } = asked as Asked
      return METHODS.includes(method) ? this.#here(method, values) : undefined
    })
  }

  /** @returns the id of the knock, a secret of whoever knocks @throws Refusal `seats_taken`, `unavailable` */
  async knock(holder: PassHolder, name: string): Promise<string> {
    return (await this.#ask('knock', holder, name)) as string
  }

  /** Waits for an answer. @returns undefined if there is no such knock any more @throws Refusal `unavailable` */
  async answerTo(holder: PassHolder, id: string): Promise<KnockState | undefined> {
    return ((await this.#ask('answerTo', holder, id)) as KnockState | null) ?? undefined
  }

  /** @throws Refusal `unavailable` */
  async leave(holder: PassHolder, id: string): Promise<void> {
    await this.#ask('leave', holder, id)
  }

  /** Those who wait, oldest first. @param known version that the asker has @throws Refusal `unavailable` */
  async list(holder: PassHolder, known: number): Promise<{ version: number; knocks: ShownKnock[] }> {
    return (await this.#ask('list', holder, known)) as { version: number; knocks: ShownKnock[] }
  }

  /** @throws Refusal `provided_id_is_unrecognized` if somebody else answered, or they went away; `unavailable` */
  async decide(holder: PassHolder, id: string, isLetIn: boolean): Promise<void> {
    await this.#ask('decide', holder, id, isLetIn)
  }

  stop(): void {
    this.#local.stop()
  }

  async #ask(method: Method, holder: PassHolder, ...rest: unknown[]): Promise<unknown> {
    const { id, project_id, room_name, conference_token_hash } = holder
    const values = [{ id, project_id, room_name, conference_token_hash }, ...rest]
    const { messages, nodes } = this.#cluster
    const home = this.#homeOf(holder)
    if (home === nodes.self.name) return this.#here(method, values)
    try {
      return await messages.request(home, SUBJECT, { method, values } satisfies Asked, ANSWER_MS)
    } catch (error) {
      if (!(error instanceof NodeUnreachable)) throw error
      const message = 'The server of this waiting room does not answer. Try again in a few seconds.'
      throw new Refusal('unavailable', { message, cause: error })
    }
  }

  async #here(method: Method, values: unknown[]): Promise<unknown> {
    const work = this.#local[method] as (...values: unknown[]) => unknown
    return work.apply(this.#local, values)
  }

  /** The node whose name and the room's together have the highest hash. */
  #homeOf({ project_id, room_name }: PassHolder): string {
    const { self, others } = this.#cluster.nodes
    const room = JSON.stringify([project_id, room_name])
    let [home, highest] = ['', '']
    for (const { name } of [self, ...others]) {
      const rank = hash('sha256', `${name} ${room}`)
      if (rank > highest) [home, highest] = [name, rank]
    }
    return home
  }
}
