import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Cluster, Messages } from '../../cluster/cluster.ts'
import { newId } from '../../ids.ts'
import { openStorage } from '../../storage/open-storage.ts'
import type { Storage } from '../../storage/storage.ts'
import { natsNode } from '../../testing/nats-nodes.ts'
import { sampleRecording, sampleSession } from '../../testing/sample-records.ts'
import { SessionWorld } from '../../testing/simulation/session-world.ts'
import { type TemporaryNats, temporaryNats } from '../../testing/temporary-nats.ts'
import { type DatabaseServer, databaseKinds } from '../../testing/test-databases.ts'
import { ClusterSessions } from './cluster-sessions.ts'

vi.setConfig({ testTimeout: 20_000, hookTimeout: 60_000 })

const NAMES = ['a', 'b', 'c']
let nats: TemporaryNats
let world: SessionWorld
let clusters: Cluster[]
beforeAll(async () => {
  nats = await temporaryNats()
  world = await SessionWorld.open()
  clusters = await Promise.all(NAMES.map((name) => natsNode(nats.url, 'sessions', name)))
  await vi.waitFor(() => expect(clusters.map(({ nodes }) => nodes.others.length)).toEqual([2, 2, 2]), 5000)
})
afterAll(async () => {
  await Promise.all(clusters.map((cluster) => cluster.stop()))
  await world.close()
  await nats.remove()
})

describe.each(databaseKinds)('what waits to be written, with three nodes and $kind', ({ startServer }) => {
  let databases: DatabaseServer
  let storage: Storage
  let members: ClusterSessions[]
  /** Nodes that the first one asked. */
  let asked: string[]
  const project_id = newId()

  beforeAll(async () => {
    databases = await startServer()
    storage = await openStorage(await databases.emptyDatabase())
    for (const id of [project_id, 'other']) await storage.projects.insert({ id, name: 'p', created_at: 1 })
    const log = pino({ level: 'silent' })
    members = clusters.map(({ nodes, messages }) => {
      const request: Messages['request'] = (node, subject, ...rest) => {
        asked.push(`${node} ${subject}`)
        return messages.request(node, subject, ...rest)
      }
      const counted = { ...bound(messages), request }
      return new ClusterSessions({
        local: world.registry,
        cluster: { nodes, messages: counted },
        storage,
        log,
      })
    })
  })
  afterAll(async () => {
    for (const one of members) one.stop()
    await storage.close()
    await databases.remove()
  })

  const add = async (owner_node: string, status: 'in-progress' | 'completed', project = project_id) => {
    const session = sampleSession({ project_id: project, owner_node, status })
    await storage.sessions.insert(session)
    return session
  }
  async function askedBy(of: 'everything' | 'recordings'): Promise<string[]> {
    asked = []
    await members[0]!.written(project_id, of)
    return asked.sort()
  }

  it('is asked of the nodes that run sessions of the project, and for recordings of those that record', async () => {
    await add('b', 'completed')
    await add('c', 'in-progress', 'other')
    expect([await askedBy('everything'), await askedBy('recordings')]).toEqual([[], []])

    await add('a', 'in-progress')
    const running = await add('b', 'in-progress')
    await add('b', 'in-progress')
    await add('gone', 'in-progress')
    expect(await askedBy('everything')).toEqual(['b sessions.written'])
    const fields = { project_id, room_session_id: running.id }
    await storage.recordings.insert(sampleRecording({ ...fields, status: 'completed' }))
    expect(await askedBy('recordings')).toEqual([])

    // The session may have ended, while its recording is being finished.
    const ended = await add('c', 'completed')
    const finishing = sampleRecording({ project_id, room_session_id: ended.id, status: 'processing' })
    await storage.recordings.insert(finishing)
    expect(await askedBy('recordings')).toEqual(['c sessions.written'])
    expect(await askedBy('everything')).toEqual(['b sessions.written'])
    await storage.recordings.update(project_id, finishing.id, { status: 'completed' })
    expect(await askedBy('recordings')).toEqual([])
  })
})

/** The methods of an object that use its private fields. */
const bound = (messages: Messages): Messages => ({
  publish: (...given) => messages.publish(...given),
  subscribe: (...given) => messages.subscribe(...given),
  request: (...given) => messages.request(...given),
  serve: (...given) => messages.serve(...given),
  onGap: (...given) => messages.onGap(...given),
})
