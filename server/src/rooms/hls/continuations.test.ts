import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import { openStorage } from '../../storage/open-storage.ts'
import type { Storage } from '../../storage/storage.ts'
import { sampleSession } from '../../testing/sample-records.ts'
import { continuationOf } from './continuations.ts'

const NOW = Date.UTC(2030, 0, 1)
const project_id = newId()
let folder: string
let storage: Storage

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-continuations-'))
  storage = await openStorage(join(folder, 'parley.db'))
  await storage.projects.insert({ id: project_id, name: 'p', created_at: 1 })
})
afterAll(async () => {
  await storage.close()
  await rm(folder, { recursive: true })
})

/** A session that ended for that reason, so long ago. */
async function ended(room_id: string, reason: string, agoMs: number) {
  const end_time = NOW - agoMs
  const session = sampleSession({ project_id, room_id, name: room_id, status: 'completed', end_time })
  await storage.sessions.insert(session)
  await storage.events.append({
    id: newId(),
    project_id,
    room_id,
    room_session_id: session.id,
    room_recording_id: null,
    room_participant_id: null,
    level: 'info',
    name: 'room.ended',
    payload: { reason },
    created_at: end_time,
  })
  return continuationOf(session, { storage, clock: { now: () => NOW } })
}

test.each([
  ['server_interrupted', 1000, true],
  ['shutdown', 1000, true],
  ['ownership_lost', 1000, true],
  ['empty', 1000, false],
  ['ended_by_member', 1000, false],
  ['server_interrupted', 6 * 60_000, false],
])('a session that ended by %s, %i ms ago', async (reason, agoMs, goesOn) => {
  const room_id = newId()
  expect(await ended(room_id, reason, agoMs)).toBe(goesOn ? 'soon' : null)
  const next = sampleSession({ project_id, room_id, name: room_id, status: 'in-progress' })
  await storage.sessions.insert(next)
  expect(await ended(room_id, reason, agoMs)).toEqual(
    goesOn ? expect.objectContaining({ id: next.id }) : null,
  )
})
