import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SERVER } from '../../audit/audit.ts'
import { systemClock } from '../../clock.ts'
import { newId } from '../../ids.ts'
import { openStorage } from '../../storage/open-storage.ts'
import type { Storage } from '../../storage/storage.ts'
import { sampleRecording } from '../../testing/sample-records.ts'
import { createRecordingQuotas, type RecordingQuotas } from './recording-quotas.ts'

const project_id = newId()
let folder: string
let storage: Storage
let quotas: RecordingQuotas

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-quotas-'))
  storage = await openStorage(join(folder, 'parley.db'))
  await storage.projects.insert({ id: project_id, name: 'p', created_at: 1 })
  quotas = createRecordingQuotas({ storage, clock: systemClock, log: pino({ level: 'silent' }) })
})
afterAll(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})

/** @returns the share that was passed by it */
async function add(size_in_bytes: number): Promise<number | undefined> {
  await storage.recordings.insert(sampleRecording({ project_id, room_session_id: newId(), size_in_bytes }))
  return (await quotas.passed(storage, project_id, size_in_bytes))?.percent
}
const refusal = () =>
  quotas.check(project_id).then(
    () => 'none',
    (error: { code: string }) => error.code,
  )

test('without a limit nothing is refused or told', async () => {
  expect([await add(70), await refusal()]).toEqual([undefined, 'none'])
})

test('80 % and 100 % are told once each, and then nothing is recorded until the limit is raised', async () => {
  expect(await quotas.set(project_id, 100, SERVER)).toEqual({ quotaBytes: 100, usedBytes: 70, recordings: 1 })
  expect([await add(9), await refusal()]).toEqual([undefined, 'none'])
  expect([await add(1), await refusal()]).toEqual([80, 'none'])
  expect([await add(19), await refusal()]).toEqual([undefined, 'none'])
  expect([await add(1), await refusal()]).toEqual([100, 'recordings_full'])
  expect(await add(50)).toBeUndefined()
  await quotas.set(project_id, 1000, SERVER)
  expect([await add(1000), await refusal()]).toEqual([100, 'recordings_full'])
})
