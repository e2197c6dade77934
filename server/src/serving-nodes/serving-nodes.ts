import type { Logger } from 'pino'
import type { Clock, Timer } from '../clock.ts'
import type { Cluster, ClusterNode } from '../cluster/cluster.ts'
import type { OtherMachines, ViewerHost, ViewerNotice } from '../media/viewer-host.ts'
import type { FeedExits } from './feed-exits.ts'
import { TELL, type Told } from './messages.ts'
import { RemoteNode } from './remote-node.ts'

const WATCH_MS = 250
/** What one viewer is assumed to take of a machine until its next report, as a share of it. */
const EXPECTED_VIEWER_SHARE = 0.002
/** A room goes to one more node where that is so much less busy: a feed for one more costs something, too. */
const ONE_MORE_NODE_SHARE = 0.05

export interface ServingNodesOptions {
  cluster: Cluster
  exits: FeedExits
  clock: Clock
  log: Logger
  /** A node tells of the viewers that it serves of a room of this one. */
  onNotice: (host: ViewerHost, sessionId: string, notice: ViewerNotice) => void
}

/** The nodes that may serve viewers of rooms of this one. */
export class ServingNodes implements OtherMachines {
  readonly #options: ServingNodesOptions
  /** Nodes that were considered, by name. */
  readonly #hosts = new Map<string, RemoteNode>()
  /** Viewers that were placed on a node, which its last report of its load does not count yet. */
  readonly #placed = new WeakMap<object, number>()
  readonly #ends: (() => void)[]
  #timer: Timer | null = null

  constructor(options: ServingNodesOptions) {
    this.#options = options
    const { messages, nodes } = options.cluster
    this.#ends = [
      messages.serve(TELL, async (told, from) => this.#hear(told as Told, from)),
      nodes.onGone((node) => this.#dropIf((host) => host.name === node.name && host.run === node.run)),
    ]
    this.#watch()
  }

  get admitAudience(): boolean {
    return this.#taking().length > 0
  }

  place(serving: ReadonlySet<ViewerHost>, below: number): ViewerHost | null {
    let best: { node: ClusterNode; host: RemoteNode } | null = null
    let least = below
    for (const node of nearest(this.#options.cluster.nodes.self, this.#taking())) {
      const host = this.#hostOf(node)
      const more = serving.has(host) ? 0 : ONE_MORE_NODE_SHARE
      const placed = (this.#placed.get(node.load) ?? 0) * EXPECTED_VIEWER_SHARE
      const share = node.load.media + placed + more
      if (share >= below || !host.isReady || share >= least) continue
      least = share
      best = { node, host }
    }
    if (best) this.#placed.set(best.node.load, (this.#placed.get(best.node.load) ?? 0) + 1)
    return best?.host ?? null
  }

  stop(): void {
    this.#timer?.cancel()
    for (const end of this.#ends) end()
  }

  /** The nodes that say that they have power for viewers. */
  #taking(): ClusterNode[] {
    return this.#options.cluster.nodes.others.filter(
      ({ isDraining, load }) => !isDraining && load.servesViewers === true,
    )
  }

  #hostOf(node: ClusterNode): RemoteNode {
    const known = this.#hosts.get(node.name)
    if (known?.run === node.run) return known
    if (known) this.#dropIf((one) => one === known)
    const { cluster, exits, clock, log } = this.#options
    const host: RemoteNode = new RemoteNode({
      node,
      messages: cluster.messages,
      exits,
      clock,
      log,
      onRoomGone: (sessionId) => this.#drop(host, sessionId, 'the node does not serve it'),
    })
    this.#hosts.set(node.name, host)
    return host
  }

  #hear({ run, sessionId, notice }: Told, from: string): null {
    const host = this.#hosts.get(from)
    if (host?.run === run) this.#options.onNotice(host, sessionId, notice)
    return null
  }

  /** Viewers leave a node that drains. */
  #watch(): void {
    const { clock, cluster } = this.#options
    this.#timer = clock.after(WATCH_MS, () => {
      this.#dropIf(({ name, run }) => {
        const node = cluster.nodes.find(name)
        return !node || node.run !== run || node.isDraining
      })
      this.#watch()
    })
  }

  #dropIf(isOver: (host: RemoteNode) => boolean): void {
    for (const host of this.#hosts.values()) {
      if (!isOver(host)) continue
      this.#hosts.delete(host.name)
      for (const sessionId of host.sessions) this.#drop(host, sessionId, 'the node is gone, or drains')
    }
  }

  #drop(host: RemoteNode, sessionId: string, reason: string): void {
    this.#options.onNotice(host, sessionId, { event: 'died', params: { reason } })
  }
}

/** Those in the region of this node, if there are any; otherwise all. */
function nearest(self: ClusterNode, nodes: readonly ClusterNode[]): readonly ClusterNode[] {
  const near = nodes.filter(({ labels }) => labels.region === self.labels.region)
  return near.length > 0 ? near : nodes
}
