import type { Clock } from '../../clock.ts'
import { type Cluster, type ClusterNode, NodeUnreachable } from '../../cluster/cluster.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { NamedRoom, RoomOwners } from './room-owners.ts'

const RESERVE = 'rooms.reserve'
const RESERVE_MS = 2000
/** The claims of a lost node expire in less. A sign-in is refused after 8 s, with a reason that would be a wrong one here. */
const PATIENCE_MS = 7500
const RETRY_MS = 200

export interface RoomPlacementOptions {
  cluster: Cluster
  owners: RoomOwners
  clock: Clock
}

/** Finds the node that owns a room, or chooses one for a room that none owns. */
export class RoomPlacement {
  readonly #options: RoomPlacementOptions
  /** Rooms that this node placed on others, which their last report of their load does not count yet. */
  readonly #placed = new Map<string, { load: object; rooms: number }>()
  readonly #stopServing: () => void

  constructor(options: RoomPlacementOptions) {
    this.#options = options
    this.#stopServing = options.cluster.messages.serve(RESERVE, (room) =>
      options.owners.reserve(room as NamedRoom),
    )
  }

  /**
   * @param mayBegin false leaves a room without an owner as it is
   * @returns the node that owns the room, after `reach` came through to it; null if none owns it and `mayBegin` is false.
   * A node that was lost owns its rooms some seconds longer, and this waits for another one
   * @param reach tries to get to the node, for so many milliseconds. @throws NodeUnreachable to try again, with whoever owns
   * the room then
   * @throws Refusal `unavailable`
   */
  async reach<T>(
    room: NamedRoom,
    { mayBegin }: { mayBegin: boolean },
    reach: (node: ClusterNode, withinMs: number) => Promise<T>,
  ): Promise<T | null> {
    const { cluster, clock } = this.#options
    const giveUpAtMs = clock.monotonicMs() + PATIENCE_MS
    for (;;) {
      try {
        const owner = await this.#ownerOf(room, mayBegin)
        if (owner === null) return null
        const node = cluster.nodes.find(owner)
        if (node) return await reach(node, Math.max(RETRY_MS, giveUpAtMs - clock.monotonicMs()))
      } catch (error) {
        const isRefusal = error instanceof Refusal
        const isPassing = isRefusal ? error.code === 'unavailable' : error instanceof NodeUnreachable
        if (!isPassing || (isRefusal && clock.monotonicMs() > giveUpAtMs)) throw error
      }
      if (clock.monotonicMs() > giveUpAtMs) {
        throw new Refusal('unavailable', 'The server of this room does not answer. Join again.')
      }
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve))
    }
  }

  stop(): void {
    this.#stopServing()
  }

  async #ownerOf(room: NamedRoom, mayBegin: boolean): Promise<string | null> {
    const { cluster, owners } = this.#options
    const owner = await owners.ownerOf(room)
    if (owner !== null || !mayBegin) return owner
    const { nodes, messages } = cluster
    const node = chooseNode(nodes.self, nodes.others, (other) => this.#roomsOn(other))
    if (node.name === nodes.self.name) return owners.reserve(room)
    this.#placed.set(node.name, { load: node.load, rooms: this.#roomsOn(node) - node.load.sessions + 1 })
    const { project_id, name } = room
    return (await messages.request(node.name, RESERVE, { project_id, name }, RESERVE_MS)) as string
  }

  #roomsOn({ name, load }: ClusterNode): number {
    const placed = this.#placed.get(name)
    return load.sessions + (placed?.load === load ? placed.rooms : 0)
  }
}

/** Loads that differ by less than this count as the same. */
const LOAD_STEP = 0.1

/**
 * Chooses where a room begins: on a node that takes new sessions and can begin them, in the region of the node that was asked, with the least
 * load; among equals the one with the fewest rooms, the node itself first.
 */
export function chooseNode(
  self: ClusterNode,
  others: readonly ClusterNode[],
  roomsOn: (node: ClusterNode) => number,
): ClusterNode {
  const taking = [self, ...others].filter(({ isDraining, load }) => !isDraining && load.beginsRooms !== false)
  const near = taking.filter(({ labels }) => labels.region === self.labels.region)
  const [first = self, ...rest] = near.length > 0 ? near : taking
  const cost = (node: ClusterNode) => [Math.floor(node.load.media / LOAD_STEP), roomsOn(node)] as const
  return rest.reduce((best, node) => {
    const [load, rooms] = cost(node)
    const [bestLoad, bestRooms] = cost(best)
    return load < bestLoad || (load === bestLoad && rooms < bestRooms) ? node : best
  }, first)
}
