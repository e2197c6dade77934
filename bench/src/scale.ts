/**
 * What bounds a cluster beyond this machine. NATS and PostgreSQL are measured here, by what a node does with them; a working day of
 * ever larger installations is simulated, meeting by meeting; and what its busiest second wants is told as a share of what was measured.
 * A share above 1 means that one such server is not enough. docs/scaling.md draws the conclusions.
 */

import { openStorage } from '../../server/src/storage/open-storage.ts'
import { natsNode } from '../../server/src/testing/nats-nodes.ts'
import { sampleEvent } from '../../server/src/testing/sample-records.ts'
import { temporaryCluster } from '../../server/src/testing/temporary-cluster.ts'
import { temporaryNats } from '../../server/src/testing/temporary-nats.ts'
import { report } from '../report.ts'
import { simulateDay } from '../scale/simulated-day.ts'

/** People whom one node has: some 160 rooms of six on 16 cores. */
const MEMBERS_PER_NODE = 1000
const NODES = [1, 3, 10, 30, 100, 300, 1000]
const AT_ONCE = 64
const SECONDS = 4
/** As `server/src/cluster/nats/` has them. */
const RENEWALS_PER_SECOND = 1 / 1.25
const HEARTBEATS_PER_SECOND = 1

/** @param act does one thing @returns how many a second are done, {@link AT_ONCE} of them at a time */
async function perSecond(act: (count: number) => Promise<unknown>): Promise<number> {
  const endsAtMs = performance.now() + SECONDS * 1000
  let count = 0
  const goOn = async () => {
    while (performance.now() < endsAtMs) await act(count++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, goOn))
  return count / SECONDS
}

async function measureNats(): Promise<{ claims: number; messages: number }> {
  const nats = await temporaryNats()
  const [sender, receiver] = await Promise.all([
    natsNode(nats.url, 'scale', 'a'),
    natsNode(nats.url, 'scale', 'b'),
  ])
  try {
    // A claim and its release are two writes of an entry, as is a renewal.
    const pairs = await perSecond(async (count) => {
      await sender.claims.claim(`room.${count}`)
      await sender.claims.release(`room.${count}`)
    })
    let received = 0
    receiver.messages.subscribe('scale.message', () => received++)
    const { promise: arrived, resolve } = Promise.withResolvers<void>()
    receiver.messages.subscribe('scale.end', () => resolve())
    const startedAtMs = performance.now()
    const load = { media: 0.5, sessions: 100, members: 1000 }
    for (let count = 0; count < 100_000; count++) {
      sender.messages.publish('scale.message', { ...sender.nodes.self, load })
      if (count % 1000 === 999) await new Promise((resolve) => setImmediate(resolve))
    }
    sender.messages.publish('scale.end', {})
    await arrived
    return { claims: 2 * pairs, messages: (1000 * received) / (performance.now() - startedAtMs) }
  } finally {
    await Promise.all([sender.stop(), receiver.stop()])
    await nats.remove()
  }
}

async function measurePostgres(): Promise<number> {
  const postgres = await temporaryCluster()
  const storage = await openStorage(await postgres.createDatabase())
  try {
    const project_id = 'measured'
    await storage.projects.insert({ id: project_id, name: project_id, created_at: 1 })
    return await perSecond(() => storage.events.append(sampleEvent({ project_id })))
  } finally {
    await storage.close()
    await postgres.remove()
  }
}

const { claims, messages } = await measureNats()
const events = await measurePostgres()
report({ what: 'writes of entries in NATS a second', value: claims })
report({ what: 'messages that one node takes in a second', value: messages })
report({ what: 'events written to PostgreSQL a second, one transaction each', value: events })

console.table(
  NODES.map((nodes) => {
    const { peak, rows } = simulateDay(nodes * MEMBERS_PER_NODE)
    const renewals = peak.sessions * RENEWALS_PER_SECOND + nodes * RENEWALS_PER_SECOND
    // Each heartbeat goes to every other node.
    const heartbeats = nodes * HEARTBEATS_PER_SECOND
    return {
      nodes,
      'members at peak': Math.round(peak.members),
      'sessions at peak': Math.round(peak.sessions),
      'joins/s': peak.joinsPerSecond.toFixed(1),
      'entry writes/s': Math.round(renewals),
      'of NATS': (renewals / claims).toFixed(2),
      'heartbeats a node gets/s': heartbeats,
      'of a node': (heartbeats / messages).toFixed(3),
      'events/s': peak.eventsPerSecond.toFixed(0),
      'of PostgreSQL': (peak.eventsPerSecond / events).toFixed(2),
      'rows a day, million': ((rows.sessions + rows.members + rows.calls + rows.events) / 1e6).toFixed(2),
      'events a day, million': (rows.events / 1e6).toFixed(2),
    }
  }),
)
