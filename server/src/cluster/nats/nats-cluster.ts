import { setTimeout as sleep } from 'node:timers/promises'
import { JetStreamApiError, jetstream } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { Cluster, SelfDescription } from '../cluster.ts'
import { CannotJoinCluster, connectToNats, type NatsConfig } from './connect.ts'
import { ENTRY_TTL_MS, NatsClaims } from './nats-claims.ts'
import { NatsMessages } from './nats-messages.ts'
import { NatsNodes } from './nats-nodes.ts'
import { keepName } from './node-name.ts'

/** How long JetStream may take for an answer. */
const ANSWER_MS = 1500
/** `JSStreamSubjectOverlapErr` of nats-server (server/errors.json). */
const SUBJECTS_OVERLAP = 10065
const CREATE_ATTEMPTS = 10
const CREATE_PAUSE_MS = 200

/**
 * Joins the cluster of this NATS: takes the name of the node, keeps a list of the others, and holds claims.
 * @throws CannotJoinCluster when NATS cannot be used, or another node that is alive has the name
 */
export async function openNatsCluster(
  config: NatsConfig,
  self: SelfDescription,
  { clock, log }: { clock: Clock; log: Logger },
): Promise<Cluster> {
  const connection = await connectToNats(config)
  const { nodeName: name, natsPrefix: prefix, nodeAddress: address, nodeLabels: labels } = config
  try {
    const entries = await openEntries(connection, config)
    const messages = new NatsMessages(connection, { self: name, prefix, log })
    const nodes = new NatsNodes({ messages, clock, log, name, address, labels, self })
    const claims = new NatsClaims({ entries, holder: { node: name, run: nodes.self.run }, clock, log })
    const stopKeeping = await keepName(claims, name, { clock, log })
    nodes.start()
    return {
      isAlone: false,
      get isConnected() {
        return messages.isConnected
      },
      nodes,
      messages,
      claims,
      async stop() {
        stopKeeping()
        await claims.stop()
        nodes.stop()
        await connection.drain().catch(() => connection.close())
      },
    }
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function openEntries(
  connection: NatsConnection,
  { natsPrefix, natsReplicas }: NatsConfig,
): Promise<KV> {
  try {
    const store = new Kvm(jetstream(connection, { timeout: ANSWER_MS }))
    return await createdOnce(() =>
      // A copy may lag behind, so entries are read where they are written.
      store.create(`${natsPrefix}-claims`, {
        ttl: ENTRY_TTL_MS,
        history: 1,
        replicas: natsReplicas,
        allow_direct: false,
      }),
    )
  } catch (error) {
    const reason = (error as Error).message
    throw new CannotJoinCluster(
      `JetStream of NATS cannot be used: ${reason}. Start nats-server with JetStream (-js), and give PARLEY_NATS_REPLICAS as it was`,
    )
  }
}

/** Creates what several nodes may create at this moment. NATS refuses all but one of them until it is there. */
async function createdOnce<T>(create: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await create()
    } catch (error) {
      const isRace = error instanceof JetStreamApiError && error.code === SUBJECTS_OVERLAP
      if (!isRace || attempt === CREATE_ATTEMPTS) throw error
      await sleep(CREATE_PAUSE_MS)
    }
  }
}
