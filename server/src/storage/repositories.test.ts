import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../ids.ts'
import {
  sampleApiToken,
  sampleMember,
  sampleRecording,
  sampleRoom,
  sampleSession,
} from '../testing/sample-records.ts'
import { type DatabaseServer, databaseKinds } from '../testing/test-databases.ts'
import type { ListCursor } from './list-page.ts'
import { openStorage } from './open-storage.ts'
import { type Storage, UniqueViolation } from './storage.ts'

describe.each(databaseKinds)('in $kind', ({ startServer }) => {
  let server: DatabaseServer
  let storage: Storage
  const project_id = newId()
  const other = newId()

  beforeAll(async () => {
    server = await startServer()
    storage = await openStorage(await server.emptyDatabase())
    await storage.projects.insert({ id: project_id, name: 'one', created_at: 1 })
    await storage.projects.insert({ id: other, name: 'two', created_at: 2 })
  }, 60_000)

  afterAll(async () => {
    await storage.close()
    await server.remove()
  })

  describe('rooms', () => {
    it('come back as they were written', async () => {
      const room = sampleRoom({
        project_id,
        display_name: 'Ünïcödé 🎥 \u{10FFFF}',
        record_on_start: true,
        sync_audio_video: false,
        join_from: 253402300799999,
        meta: { deep: [{ a: null, 'b"': '\u2028' }], n: 1.5 },
      })
      await storage.rooms.insert(room)
      expect(await storage.rooms.find(project_id, room.id)).toEqual(room)
      expect(await storage.rooms.findByName(project_id, room.name)).toEqual(room)
    })

    it('change only where told', async () => {
      const room = sampleRoom({ project_id, meta: { kept: true } })
      await storage.rooms.insert(room)
      const updated = await storage.rooms.update(project_id, room.id, {
        record_on_start: true,
        updated_at: 5,
      })
      expect(updated).toEqual({ ...room, record_on_start: true, updated_at: 5 })
      expect(await storage.rooms.find(project_id, room.id)).toEqual(updated)
    })

    it('do not exist for another project', async () => {
      const room = sampleRoom({ project_id })
      await storage.rooms.insert(room)
      expect(await storage.rooms.find(other, room.id)).toBeUndefined()
      expect(await storage.rooms.findByName(other, room.name)).toBeUndefined()
      expect(await storage.rooms.update(other, room.id, { updated_at: 1 })).toBeUndefined()
      expect(await storage.rooms.delete(other, room.id)).toBe(false)
      expect((await storage.rooms.list(other, {}, { limit: 1000 })).rows).toEqual([])
      expect(await storage.rooms.delete(project_id, room.id)).toBe(true)
      expect(await storage.rooms.find(project_id, room.id)).toBeUndefined()
    })

    it('have unique names within a project, and upper case is another name', async () => {
      await storage.rooms.insert(sampleRoom({ project_id, name: 'lobby' }))
      await expect(storage.rooms.insert(sampleRoom({ project_id, name: 'lobby' }))).rejects.toThrow(
        UniqueViolation,
      )
      await storage.rooms.insert(sampleRoom({ project_id, name: 'Lobby' }))
      await storage.rooms.insert(sampleRoom({ project_id: other, name: 'lobby' }))
    })

    it('are won by one of two that race for a name', async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, () => storage.rooms.insert(sampleRoom({ project_id, name: 'contested' }))),
      )
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
    })
  })

  describe('projects', () => {
    it('go with everything that is in them, and nothing else goes', async () => {
      const doomed = newId()
      await storage.projects.insert({ id: doomed, name: 'doomed', created_at: 3 })
      const session = sampleSession({ project_id: doomed })
      await storage.sessions.insert(session)
      const ofSession = { project_id: doomed, room_session_id: session.id }
      await storage.members.insert(sampleMember(ofSession))
      await storage.recordings.insert(sampleRecording({ ...ofSession, status: 'recording' }))
      await Promise.all(
        Array.from({ length: 1200 }, () => storage.rooms.insert(sampleRoom({ project_id: doomed }))),
      )
      await storage.apiTokens.insert(sampleApiToken({ project_id: doomed }))
      const kept = sampleRoom({ project_id })
      await storage.rooms.insert(kept)

      expect(await storage.projects.delete(doomed)).toBe(true)
      expect(await storage.projects.delete(doomed)).toBe(false)
      expect(await storage.projects.find(doomed)).toBeUndefined()
      expect((await storage.rooms.list(doomed, {}, { limit: 1 })).rows).toEqual([])
      expect((await storage.members.list(doomed, session.id, { limit: 1 })).rows).toEqual([])
      expect(await storage.apiTokens.list(doomed)).toEqual([])
      const interrupted = [
        ...(await storage.sessions.listInProgress()),
        ...(await storage.recordings.listInterrupted()),
      ]
      expect(interrupted.filter((row) => row.project_id === doomed)).toEqual([])
      expect(await storage.rooms.find(project_id, kept.id)).toEqual(kept)
    })
  })

  describe('API tokens', () => {
    it('change, and only for their own project', async () => {
      const token = sampleApiToken({ project_id, scopes: ['video', 'chat'] })
      await storage.apiTokens.insert(token)
      expect(await storage.apiTokens.update(other, token.id, { name: 'stolen' })).toBeUndefined()
      const changed = { ...token, scopes: ['video' as const], last_used_at: 5 }
      expect(
        await storage.apiTokens.update(project_id, token.id, { scopes: ['video'], last_used_at: 5 }),
      ).toEqual(changed)
      expect(await storage.apiTokens.list(project_id)).toEqual([changed])
      expect(await storage.apiTokens.list(other)).toEqual([])
      expect(await storage.apiTokens.delete(other, token.id)).toBe(false)
      expect(await storage.apiTokens.delete(project_id, token.id)).toBe(true)
    })
  })

  describe('sessions', () => {
    it('are in progress once per name', async () => {
      const first = sampleSession({ project_id, name: 'once', room_id: newId() })
      await storage.sessions.insert(first)
      await expect(storage.sessions.insert(sampleSession({ project_id, name: 'once' }))).rejects.toThrow(
        UniqueViolation,
      )
      expect((await storage.sessions.findActiveByName(project_id, 'once'))?.id).toBe(first.id)
      expect(
        await storage.sessions.findActiveByRooms(project_id, [first.room_id as string, newId()]),
      ).toEqual(new Map([[first.room_id, first]]))
      await storage.sessions.update(project_id, first.id, { status: 'completed', end_time: 9 })
      expect(await storage.sessions.findActiveByName(project_id, 'once')).toBeUndefined()
      await storage.sessions.insert(sampleSession({ project_id, name: 'once' }))
    })

    it('are found by part of their name, letter by letter', async () => {
      const names = ['match_50%_off', 'match-50-off', 'MATCH']
      const status = 'completed'
      for (const name of names) await storage.sessions.insert(sampleSession({ project_id, name, status }))
      const matching = async (roomNameMatches: string) =>
        (await storage.sessions.list(project_id, { roomNameMatches, status }, { limit: 10 })).rows.map(
          (row) => row.name,
        )
      expect(await matching('atch_')).toEqual(['match_50%_off'])
      expect(await matching('%')).toEqual(['match_50%_off'])
      expect(await matching('MATCH')).toEqual(['MATCH'])
      expect(await matching('match')).toHaveLength(2)
    })

    it('tell what a killed server left behind', async () => {
      const session = sampleSession({ project_id, name: 'interrupted' })
      await storage.sessions.insert(session)
      const recording = sampleRecording({ project_id, room_session_id: session.id, status: 'recording' })
      await storage.recordings.insert(recording)
      await storage.sessions.touch([session.id], 77)
      const found = await storage.sessions.listInProgress()
      expect(found.find((row) => row.id === session.id)?.alive_at).toBe(77)
      expect(await storage.recordings.listInterrupted()).toContainEqual(recording)
      await storage.sessions.update(project_id, session.id, { status: 'completed' })
      await storage.recordings.update(project_id, recording.id, {
        status: 'completed',
        size_in_bytes: 2 ** 40,
      })
      expect(await storage.recordings.listInterrupted()).toEqual([])
      expect((await storage.recordings.find(project_id, recording.id))?.size_in_bytes).toBe(2 ** 40)
    })

    it('close the members that are still in', async () => {
      const session = sampleSession({ project_id, name: 'closing' })
      await storage.sessions.insert(session)
      const base = { project_id, room_session_id: session.id }
      await storage.members.insert(sampleMember({ ...base, join_time: 1, leave_time: 2 }))
      await storage.members.insert(sampleMember({ ...base, join_time: 3 }))
      await storage.members.closeAll(project_id, session.id, 9)
      const page = await storage.members.list(project_id, session.id, { limit: 10 })
      expect(page.rows.map((row) => row.leave_time)).toEqual([2, 9])
    })

    it('add up the time that people spent in them', async () => {
      const session = sampleSession({ project_id, name: 'adding' })
      await storage.sessions.insert(session)
      const base = { project_id, room_session_id: session.id }
      const main = sampleMember({ ...base, join_time: 1000, leave_time: 3000 })
      await storage.members.insert(main)
      await storage.members.insert(sampleMember({ ...base, join_time: 4000 }))
      await storage.members.insert(
        sampleMember({ ...base, join_time: 0, parent_id: main.id, type: 'screen' }),
      )
      const totals = await storage.members.totalTimes(project_id, [session.id, newId()], 10_000)
      expect(totals).toEqual(new Map([[session.id, 8000]]))
      expect(await storage.members.totalTimes(other, [session.id], 10_000)).toEqual(new Map())
    })
  })

  it('does not commit a transaction in which something failed', async () => {
    const room = sampleRoom({ project_id })
    const attempt = storage.transaction(async (tx) => {
      await tx.rooms.insert(room)
      await tx.rooms.insert(room).catch(() => {})
    })
    await expect(attempt).rejects.toThrow()
    expect(await storage.rooms.find(project_id, room.id)).toBeUndefined()
  })

  it('sees in a transaction what it wrote, and outside not before its end', async () => {
    const room = sampleRoom({ project_id })
    await storage.transaction(async (tx) => {
      await tx.rooms.insert(room)
      expect(await tx.rooms.find(project_id, room.id)).toEqual(room)
      expect(await storage.rooms.find(project_id, room.id)).toBeUndefined()
    })
    expect(await storage.rooms.find(project_id, room.id)).toEqual(room)
  })

  it('rolls a transaction back as a whole', async () => {
    const room = sampleRoom({ project_id })
    const attempt = storage.transaction(async (tx) => {
      await tx.rooms.insert(room)
      await tx.rooms.insert(room)
    })
    await expect(attempt).rejects.toThrow(UniqueViolation)
    expect(await storage.rooms.find(project_id, room.id)).toBeUndefined()
  })

  describe('pages', () => {
    it('walk a list in both directions without repeating or losing a row', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 30 }),
          fc.integer({ min: 1, max: 8 }),
          async (times, limit) => {
            const project = newId()
            await storage.projects.insert({ id: project, name: 'pages', created_at: 1 })
            for (const created_at of times)
              await storage.rooms.insert(sampleRoom({ project_id: project, created_at }))
            const all = (await storage.rooms.list(project, {}, { limit: 1000 })).rows
            expect(all.map((row) => row.created_at)).toEqual([...times].sort((a, b) => b - a))

            const walk = async (from: ListCursor | undefined) => {
              const seen: string[] = []
              let cursor = from
              for (;;) {
                const page = await storage.rooms.list(project, {}, { limit, cursor })
                const ids = page.rows.map((row) => row.id)
                const backwards = cursor?.direction === 'before'
                if (backwards) seen.unshift(...ids)
                else seen.push(...ids)
                const firstIndex = all.findIndex((row) => row.id === ids[0])
                if (ids.length > 0) {
                  expect(page.hasPrevious).toBe(firstIndex > 0)
                  expect(page.hasNext).toBe(firstIndex + ids.length < all.length)
                }
                const edge = backwards ? page.rows[0] : page.rows.at(-1)
                if (!edge || !(backwards ? page.hasPrevious : page.hasNext)) return seen
                cursor = { at: edge.created_at, id: edge.id, direction: backwards ? 'before' : 'after' }
              }
            }
            const ids = all.map((row) => row.id)
            expect(await walk(undefined)).toEqual(ids)
            const last = all.at(-1)
            if (last) {
              const end: ListCursor = { at: last.created_at, id: last.id, direction: 'before' }
              expect(await walk(end)).toEqual(ids.slice(0, -1))
              expect(await walk({ ...end, inclusive: true })).toEqual(ids)
            }
          },
        ),
        { numRuns: 60 },
      )
    })
  })
})
