import { hash } from 'node:crypto'
import type { Cluster } from '../cluster/cluster.ts'
import type { Channel } from './channel.ts'
import type { ChannelNews, PresentMember } from './channel-news.ts'

/** How long a client waits to hear who is in a channel on other nodes. */
const ANSWER_MS = 1000
/** The request by which nodes ask each other who is in a channel. */
const MEMBERS = 'chat.members'

interface Place {
  projectId: string
  name: string
}

interface Link extends Place {
  /** Resolves when it is known who is in on the other nodes. */
  known: Promise<void>
  end(): void
}

/**
 * Connects a channel with its counterparts on the other nodes of a cluster. Each node tells the others what its own
 * clients do there, and asks who is in when its first client enters. Only nodes that have the channel get its news.
 */
export class ChannelNetwork {
  readonly #cluster: Cluster
  readonly #links = new Map<Channel, Link>()

  /** @param find the open channel of this node */
  constructor(cluster: Cluster, find: (projectId: string, name: string) => Channel | undefined) {
    this.#cluster = cluster
    const { messages, nodes } = cluster
    if (cluster.isAlone) return
    messages.serve(MEMBERS, async (place) => {
      const { projectId, name } = place as Place
      return find(projectId, name)?.ownMembers ?? []
    })
    nodes.onGone((node) => {
      for (const channel of this.#links.keys()) channel.heard(node.name, { kind: 'here', members: [] })
    })
    // Others may have counted this node as gone.
    messages.onGap(() => {
      for (const [channel, place] of this.#links) {
        this.tell(place, { kind: 'here', members: channel.ownMembers })
        void this.#ask(channel, place)
      }
    })
  }

  /** Connects a channel. Resolves when it knows who is in on the other nodes, as far as they answer. */
  connect(channel: Channel, place: Place): Promise<void> {
    const link = this.#links.get(channel)
    if (link) return link.known
    const end = this.#cluster.messages.subscribe(subjectOf(place), (news, from) =>
      channel.heard(from, news as ChannelNews),
    )
    const known = this.#ask(channel, place)
    this.#links.set(channel, { ...place, known, end })
    return known
  }

  /** The channel is closed here. */
  disconnect(channel: Channel): void {
    this.#links.get(channel)?.end()
    this.#links.delete(channel)
  }

  /** Tells the other nodes what happened here. */
  tell(place: Place, news: ChannelNews): void {
    if (!this.#cluster.isAlone) this.#cluster.messages.publish(subjectOf(place), news)
  }

  async #ask(channel: Channel, { projectId, name }: Place): Promise<void> {
    if (!this.#cluster.isConnected) return
    const { messages, nodes } = this.#cluster
    await Promise.all(
      nodes.others.map(async (node) => {
        try {
          const asked = messages.request(node.name, MEMBERS, { projectId, name }, ANSWER_MS)
          channel.heard(node.name, { kind: 'here', members: (await asked) as PresentMember[] })
        } catch {
          // It tells who is in when it is back.
        }
      }),
    )
  }
}

/** A name of a channel may have any characters, and a subject few. */
const subjectOf = ({ projectId, name }: Place): string =>
  `chat.channels.${hash('sha256', JSON.stringify([projectId, name])).slice(0, 32)}`
