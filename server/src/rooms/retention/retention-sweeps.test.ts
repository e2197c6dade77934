import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { SERVER } from '../../audit/audit.ts'
import { systemClock } from '../../clock.ts'
import { newId } from '../../ids.ts'
import { openStorage } from '../../storage/open-storage.ts'
import { filesOf } from '../../storage/recording-files.ts'
import type { RecordingRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { removalOnDisk } from '../../testing/removal-on-disk.ts'
import { sampleRecording, sampleRoom } from '../../testing/sample-records.ts'
import { type DatabaseServer, databaseKinds } from '../../testing/test-databases.ts'
import { createRetention, DAY_MS } from './retention.ts'
import { RetentionSweeps } from './retention-sweeps.ts'

const log = pino({ level: 'silent' })
const clock = systemClock

describe.each(databaseKinds)('old recordings in $kind', ({ startServer }) => {
  let server: DatabaseServer
  let storage: Storage
  let folder: string
  let project_id: string
  const onDeleted = vi.fn()

  beforeAll(async () => {
    server = await startServer()
    storage = await openStorage(await server.emptyDatabase())
    folder = mkdtempSync(join(tmpdir(), 'parley-retention-'))
  }, 60_000)
  afterAll(async () => {
    await storage.close()
    await server.remove()
    rmSync(folder, { recursive: true })
  })
  beforeEach(async () => {
    project_id = newId()
    await storage.projects.insert({ id: project_id, name: 'p', created_at: 1 })
    onDeleted.mockClear()
  })

  const sweeps = (over: Partial<Storage> = {}) => {
    const used = { ...storage, ...over }
    const removal = removalOnDisk(used, folder)
    const forgetExpiredShares = async () => {}
    return new RetentionSweeps({ storage: used, clock, log, removal, forgetExpiredShares, onDeleted })
  }
  const rule = (days: number | null) => createRetention({ storage, clock }).set(project_id, days, SERVER)
  async function add(daysOld: number, fields: Partial<RecordingRecord> = {}): Promise<RecordingRecord> {
    const finished_at = Date.now() - daysOld * DAY_MS - 1000
    const recording = sampleRecording({ project_id, room_session_id: newId(), finished_at, ...fields })
    for (const file of filesOf(recording)) writeFileSync(join(folder, file), 'x')
    await storage.recordings.insert(recording)
    return recording
  }
  async function addRoom(recording_retention_days: number | null): Promise<string> {
    const room = sampleRoom({ project_id, recording_retention_days })
    await storage.rooms.insert(room)
    return room.id
  }
  const isKept = async ({ id }: RecordingRecord) =>
    (await storage.recordings.find(project_id, id)) !== undefined

  it('are kept for ever without a rule', async () => {
    const old = await add(10_000)
    await sweeps().sweep()
    expect(await isKept(old)).toBe(true)
  })

  it('are deleted by the rule of the project, with their files, an event and an entry in the audit log', async () => {
    const [old, young] = [await add(31), await add(29)]
    await rule(30)
    await sweeps().sweep()
    expect([await isKept(old), await isKept(young)]).toEqual([false, true])
    expect(filesOf(old).map((file) => existsSync(join(folder, file)))).toEqual([false, false])
    expect(filesOf(young).map((file) => existsSync(join(folder, file)))).toEqual([true, true])
    const events = await storage.events.list(project_id, { sessionId: old.room_session_id }, { limit: 10 })
    expect(events.rows).toMatchObject([
      { name: 'recording.expired', payload: { recording_id: old.id, days: 30 } },
    ])
    const [expire, set] = await storage.audit.list({ projectId: project_id }, 2)
    expect(expire).toMatchObject({ action: 'recording.expire', details: { recordings: [old.id] } })
    expect(set).toMatchObject({ action: 'project.recording_retention', details: { from: null, to: 30 } })
    expect(onDeleted).toHaveBeenCalledWith(project_id)
    expect(await storage.removedFiles.list(null, '', 10)).toEqual([])
  })

  it('follow the rule of their room first, which may keep them for ever', async () => {
    const [short, ever, none] = [await addRoom(2), await addRoom(0), await addRoom(null)]
    const inRoom = (days: number, room_id: string) => add(days, { room_id })
    const gone = [await inRoom(3, short), await inRoom(31, none), await add(31)]
    const kept = [await inRoom(1, short), await inRoom(900, ever), await inRoom(29, none)]
    await rule(30)
    await sweeps().sweep()
    expect(await Promise.all(gone.map(isKept))).toEqual([false, false, false])
    expect(await Promise.all(kept.map(isKept))).toEqual([true, true, true])
    await rule(null)
    const another = await inRoom(3, short)
    await sweeps().sweep()
    expect([await isKept(another), await isKept(kept[2]!)]).toEqual([false, true])
  })

  it('are not deleted while they are recorded', async () => {
    const running = await add(40, { status: 'processing' })
    await rule(30)
    await sweeps().sweep()
    expect(await isKept(running)).toBe(true)
  })

  it('are deleted in many portions, past those that a room keeps', async () => {
    const ever = await addRoom(0)
    for (let count = 0; count < 230; count++) await add(50, { room_id: ever })
    const gone = await Promise.all(Array.from({ length: 45 }, () => add(40)))
    await rule(30)
    await sweeps().sweep()
    expect((await Promise.all(gone.map(isKept))).some(Boolean)).toBe(false)
    expect((await storage.recordings.list(project_id, {}, { limit: 1000 })).rows).toHaveLength(230)
  })

  it('are tried again while the database is away, and their files while the disk refuses', async () => {
    const old = await add(31)
    await rule(30)
    await sweeps({ transaction: () => Promise.reject(new Error('away')) }).sweep()
    expect(await isKept(old)).toBe(true)

    const file = join(folder, old.file)
    rmSync(file)
    mkdirSync(file)
    await sweeps().sweep()
    expect(await isKept(old)).toBe(false)
    expect(await storage.removedFiles.list(null, '', 10)).toMatchObject([{ file: old.file }])
    rmSync(file, { recursive: true })
    // Another process, after a restart.
    await sweeps().sweep()
    expect(await storage.removedFiles.list(null, '', 10)).toEqual([])
  })
})
