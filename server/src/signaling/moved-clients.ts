import { type Cluster, NodeUnreachable } from '../cluster/cluster.ts'
import type { ClientLine } from './client-line.ts'
import type { ClientSockets } from './client-sockets.ts'
import type { OutgoingEvent } from './json-rpc.ts'

/** How long the node that had a client may take. */
const ANSWER_MS = 1000
/** Characters of events that travel with a client. More count as lost: a message between nodes cannot be longer. */
const MOST_CHARACTERS = 500_000

/** What a client that came from another node may have missed. */
export interface MissedEvents {
  events: OutgoingEvent[]
  /** Whether there were more. */
  lostSome: boolean
}

interface Asked {
  protocol: string
  owner: string
}

interface Moved {
  frames: string[]
  lostSome: boolean
}

export interface MovedClientsOptions<Client extends { readonly protocol: string }> {
  cluster: Cluster
  /** Kind of the clients, as a part of a subject. */
  kind: string
  clients: ClientSockets<Client>
  /** Who may come back as this client. */
  ownerOf: (client: Client) => string
  /** Forgets a client, whose subscriptions stay stored. */
  drop: (client: Client) => void
}

/**
 * Clients that come back to another node than they left. The node that they left gives away what they may have missed, and forgets
 * them.
 */
export class MovedClients<Client extends { readonly protocol: string; readonly line: ClientLine }> {
  readonly #cluster: Cluster
  readonly #subject: string

  constructor({ cluster, kind, clients, ownerOf, drop }: MovedClientsOptions<Client>) {
    this.#cluster = cluster
    this.#subject = `clients.moved.${kind}`
    if (cluster.isAlone) return
    cluster.messages.serve(this.#subject, async (asked): Promise<Moved | null> => {
      const { protocol, owner } = asked as Asked
      const client = clients.named(protocol)
      if (!client || ownerOf(client) !== owner) return null
      const moved = missedBy(client.line)
      client.line.connection?.close()
      drop(client)
      return moved
    })
  }

  /** Has the other nodes forget the client. @returns what it may have missed there */
  async fetch(asked: Asked): Promise<MissedEvents> {
    const { nodes, messages, isConnected } = this.#cluster
    const found: MissedEvents = { events: [], lostSome: !isConnected }
    await Promise.all(
      nodes.others.map(async ({ name }) => {
        try {
          const moved = (await messages.request(name, this.#subject, asked, ANSWER_MS)) as Moved | null
          found.events.push(...(moved?.frames ?? []).map(eventOf))
          found.lostSome ||= moved?.lostSome ?? false
        } catch (error) {
          if (!(error instanceof NodeUnreachable)) throw error
          found.lostSome = true
        }
      }),
    )
    return found
  }
}

function missedBy(line: ClientLine): Moved {
  const all: string[] = []
  const { lostSome } = line.resend((frame) => all.push(frame.toString()))
  const frames: string[] = []
  let characters = 0
  for (const frame of all.reverse()) {
    characters += frame.length
    if (characters > MOST_CHARACTERS) break
    frames.unshift(frame)
  }
  return { frames, lostSome: lostSome || frames.length < all.length }
}

const eventOf = (frame: string): OutgoingEvent => ({
  id: (JSON.parse(frame) as { id: string }).id,
  frame: Buffer.from(frame),
})
