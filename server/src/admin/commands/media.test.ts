import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newId } from '../../ids.ts'
import { databaseFile } from '../../storage/data-folder.ts'
import { openStorage } from '../../storage/open-storage.ts'
import type { Storage } from '../../storage/storage.ts'
import { ObjectStoreServer } from '../../testing/object-store-server.ts'
import { sampleRecording } from '../../testing/sample-records.ts'
import { parley } from '../parley-command.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

const project_id = newId()
let server: ObjectStoreServer
let storage: Storage
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-move-'))
  await mkdir(join(folder, 'recordings'))
  storage = await openStorage(databaseFile(folder))
  await storage.projects.insert({ id: project_id, name: 'p', created_at: 1 })
  server = await ObjectStoreServer.start()
})
afterAll(async () => {
  await storage.close()
  await server.stop()
  await rm(folder, { recursive: true })
})

async function add(created_at: number): Promise<{ id: string; file: string }> {
  const id = newId()
  const finished_at = 1
  const fields = { id, file: `${id}.mp4`, created_at, finished_at }
  const recording = sampleRecording({ project_id, room_session_id: newId(), ...fields })
  await storage.recordings.insert(recording)
  await writeFile(join(folder, 'recordings', recording.file), 'media')
  return recording
}

test('what is on the disk moves to the store; a move that was ended goes on, and what is missing is named', async () => {
  const env = { PARLEY_DATA_DIR: folder, ...server.env }
  const [first, second, missing] = [await add(1), await add(2), await add(3)]
  await rm(join(folder, 'recordings', missing.file))
  await server.kill()
  const ended = await parley(['media', 'move'], env)
  expect([ended.code, ended.err]).toEqual([
    1,
    expect.stringMatching(/^0 recordings were moved. Then: .*ECONNREFUSED/),
  ])
  expect(existsSync(join(folder, 'recordings', first.file))).toBe(true)
  await server.run()
  const moved = JSON.parse((await parley(['media', 'move', '--json'], env)).out)
  expect(moved).toEqual({ recordings: 2, bytes: 10, missing: [missing.id] })
  expect(JSON.parse((await parley(['media', 'move', '--json'], env)).out).recordings).toBe(0)
  for (const { id, file } of [first, second]) {
    expect((await storage.recordings.find(project_id, id))?.place).toBe('store')
    expect(existsSync(join(folder, 'recordings', file))).toBe(false)
  }
})

test('there is nothing to move to without a store', async () => {
  const { code, err } = await parley(['media', 'move'], { PARLEY_DATA_DIR: folder })
  expect([code, err]).toEqual([1, expect.stringContaining('set PARLEY_S3_BUCKET')])
})
