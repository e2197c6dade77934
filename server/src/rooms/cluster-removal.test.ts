import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { newId } from '../ids.ts'
import { openStorage } from '../storage/open-storage.ts'
import { filesOf } from '../storage/recording-files.ts'
import type { RecordingRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { natsNode } from '../testing/nats-nodes.ts'
import { sampleRecording, sampleSession } from '../testing/sample-records.ts'
import { type TemporaryNats, temporaryNats } from '../testing/temporary-nats.ts'
import { type DatabaseServer, databaseKinds } from '../testing/test-databases.ts'
import { clusterRemoval } from './cluster-removal.ts'
import type { RecordingRemoval } from './recording-removal.ts'

vi.setConfig({ testTimeout: 20_000, hookTimeout: 60_000 })

const DAY_MS = 24 * 60 * 60_000
const NAMES = ['one', 'two'] as const
const project_id = newId()

let nats: TemporaryNats
const clusters: Cluster[] = []
beforeAll(async () => {
  nats = await temporaryNats()
  clusters.push(...(await Promise.all(NAMES.map((name) => natsNode(nats.url, 'removal', name)))))
  await vi.waitFor(() => expect(clusters.map(({ nodes }) => nodes.others.length)).toEqual([1, 1]), 5000)
})
afterAll(async () => {
  await Promise.all(clusters.map((cluster) => cluster.stop()))
  await nats.remove()
})

describe.each(databaseKinds)('files of deleted recordings, with two nodes and $kind', ({ startServer }) => {
  let databases: DatabaseServer
  let storage: Storage
  let nowMs: number
  const folders = NAMES.map(() => mkdtempSync(join(tmpdir(), 'parley-removal-'))) as [string, string]
  const clock = { ...systemClock, now: () => nowMs }
  const log = pino({ level: 'silent' })
  let removals: [RecordingRemoval, RecordingRemoval]

  beforeAll(async () => {
    databases = await startServer()
    storage = await openStorage(await databases.emptyDatabase())
    await storage.projects.insert({ id: project_id, name: 'p', created_at: 1 })
    const [one, two] = clusters.map((cluster, index) =>
      clusterRemoval(cluster, { storage, clock, log, folder: folders[index]!, stored: null }),
    )
    removals = [one!, two!]
  })
  afterAll(async () => {
    await storage.close()
    await databases.remove()
    for (const folder of folders) rmSync(folder, { recursive: true })
  })
  beforeEach(() => {
    nowMs = Date.now()
  })

  /** A recording whose files are on the disk of a node. */
  async function add(owner_node: string | null, folder: string): Promise<RecordingRecord> {
    const session = sampleSession({ project_id, owner_node })
    await storage.sessions.insert(session)
    const recording = sampleRecording({ project_id, room_session_id: session.id })
    await storage.recordings.insert(recording)
    for (const file of filesOf(recording)) writeFileSync(join(folder, file), 'media')
    return recording
  }
  async function deleteBy(removal: RecordingRemoval, recording: RecordingRecord): Promise<void> {
    const files = await storage.transaction((tx) => removal.deleteRecord(tx, recording))
    await removal.removeFiles(files ?? [])
  }
  const waiting = () => storage.removedFiles.list(null, '', 1000)
  const isThere = (folder: string, recording: RecordingRecord) =>
    filesOf(recording).map((file) => existsSync(join(folder, file)))

  it('go from the disk of the node that has them, whichever deletes', async () => {
    const recording = await add('two', folders[1])
    await deleteBy(removals[0], recording)
    await expect.poll(() => isThere(folders[1], recording)).toEqual([false, false])
    await expect.poll(waiting).toEqual([])
  })

  it('wait for a node that is away or whose disk refuses, and are left alone by others', async () => {
    const recording = await add('two', folders[1])
    const path = join(folders[1], recording.file)
    rmSync(path)
    mkdirSync(path)
    await deleteBy(removals[0], recording)
    await expect.poll(waiting).toEqual([{ file: recording.file, node: 'two' }])
    await removals[0].retry()
    expect(await waiting()).toHaveLength(1)
    rmSync(path, { recursive: true })
    // Another process, after a restart.
    await removals[1].retry()
    expect(await waiting()).toEqual([])
  })

  it('are looked for by all while nobody knows who has them', async () => {
    const recording = await add(null, folders[1])
    const files = await storage.transaction((tx) => removals[0].deleteRecord(tx, recording))
    expect(files?.map(({ node }) => node)).toEqual([null, null])
    await removals[0].retry()
    expect([isThere(folders[1], recording), (await waiting()).length]).toEqual([[true, true], 2])
    await removals[1].retry()
    expect([isThere(folders[1], recording), await waiting()]).toEqual([[false, false], []])
  })

  it('of a node that never comes back are forgotten after 90 days', async () => {
    const recording = await add('gone', folders[1])
    rmSync(join(folders[1], recording.file))
    rmSync(join(folders[1], filesOf(recording)[1]!))
    await deleteBy(removals[0], recording)
    nowMs += 89 * DAY_MS
    await removals[0].retry()
    expect(await waiting()).toHaveLength(2)
    nowMs += 2 * DAY_MS
    await removals[0].retry()
    expect(await waiting()).toEqual([])
  })

  it('are swept past those that the disk refuses', async () => {
    const recordings = await Promise.all(Array.from({ length: 120 }, () => add('two', folders[1])))
    const refused = recordings
      .map(({ file }) => file)
      .sort()
      .slice(0, 110)
    for (const file of refused) {
      rmSync(join(folders[1], file))
      mkdirSync(join(folders[1], file))
    }
    await storage.transaction(async (tx) => {
      for (const recording of recordings) await removals[1].deleteRecord(tx, recording)
    })
    await removals[1].retry()
    expect((await waiting()).map(({ file }) => file)).toEqual(refused)
    await storage.removedFiles.delete(refused)
  })
})
