import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import type { Logger } from 'pino'
import type { ClusterNode } from '../cluster.ts'
import { connectToNats, type NatsConfig } from './connect.ts'
import { NatsMessages } from './nats-messages.ts'
import { HELLO, HERE } from './nats-nodes.ts'

/** Each node tells of itself every second. */
const WATCHED_MS = 1500

/** A node that told of itself while somebody watched. */
export interface SeenNode {
  node: ClusterNode
  /** How far its clock is ahead of this machine's; negative when it is behind. Some milliseconds are the way of the message. */
  aheadMs: number
}

/** What somebody who is no node sees of a cluster. */
export interface SeenCluster {
  /** In the order of their names. */
  nodes: SeenNode[]
  /** Why JetStream cannot be used; null if it can. */
  jetStreamProblem: string | null
}

/** Watches a cluster for a moment, without becoming a node. @throws CannotJoinCluster when NATS cannot be used */
export async function watchCluster(config: NatsConfig, log: Logger): Promise<SeenCluster> {
  const connection = await connectToNats(config)
  try {
    const self = `doctor-${randomBytes(6).toString('hex')}`
    const messages = new NatsMessages(connection, { self, prefix: config.natsPrefix, log })
    const seen = new Map<string, SeenNode>()
    messages.subscribe(HERE, (message) => {
      const node = message as ClusterNode
      seen.set(node.name, { node, aheadMs: node.now - Date.now() })
    })
    messages.publish(HELLO, null)
    const jetStream = jetstreamManager(connection).then(
      () => null,
      (error: Error) => error.message,
    )
    await sleep(WATCHED_MS)
    const nodes = [...seen.values()].sort((one, other) => (one.node.name < other.node.name ? -1 : 1))
    return { nodes, jetStreamProblem: await jetStream }
  } finally {
    await connection.close()
  }
}
