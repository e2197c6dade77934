import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { DataFolderUnusable, databaseFile, openDataFolder, RESTORING } from '../../storage/data-folder.ts'
import { openDatabase, openStorage } from '../../storage/open-storage.ts'
import type { Storage } from '../../storage/storage.ts'
import { sampleRecording, sampleRoom, sampleSession } from '../../testing/sample-records.ts'
import { addUser } from '../../testing/signed-in-user.ts'
import { type DatabaseServer, databaseKinds } from '../../testing/test-databases.ts'
import { parley, parleyInProcess } from '../parley-command.ts'
import { forgetDeleted, snapshotSqlite } from './sqlite-snapshot.ts'

const project_id = 'p'
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

function write(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, content, { mode })
  chmodSync(path, mode)
}

describe.each(databaseKinds)('a backup with $kind', ({ kind, startServer }) => {
  let server: DatabaseServer
  let folder: string
  let dataDir: string
  let backup: string
  let env: Record<string, string>
  let storage: Storage

  beforeAll(async () => {
    server = await startServer()
  }, 60_000)
  afterAll(() => server.remove())

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-backup-'))
    dataDir = join(folder, 'data')
    backup = join(folder, 'backups', 'monday')
    env = { PARLEY_DATA_DIR: dataDir }
    if (kind === 'PostgreSQL') env.PARLEY_DATABASE_URL = await server.emptyDatabase()
    write(join(dataDir, 'secrets', 'root.key'), 'key', 0o600)
    write(join(dataDir, 'tls', 'ca.pem'), 'certificate')
    write(join(dataDir, 'tls', 'ca-key.pem'), 'private', 0o600)
    storage = await openStorage(env.PARLEY_DATABASE_URL ?? databaseFile(dataDir))
    await storage.projects.insert({ id: project_id, name: 'p', created_at: 1 })
  })
  afterEach(async () => {
    await storage.close()
    rmSync(folder, { recursive: true })
  })

  /** Environment with a target for the restore. */
  async function elsewhere(): Promise<Record<string, string>> {
    const PARLEY_DATA_DIR = join(folder, 'restored', 'data')
    if (kind === 'SQLite') return { PARLEY_DATA_DIR }
    return { PARLEY_DATA_DIR, PARLEY_DATABASE_URL: await server.emptyDatabase() }
  }
  const openRestored = (place: Record<string, string>) =>
    openStorage(place.PARLEY_DATABASE_URL ?? databaseFile(place.PARLEY_DATA_DIR ?? ''))

  it('is of one moment while others write, and comes back with keys and modes', async () => {
    const session = sampleSession({ project_id })
    await storage.sessions.insert(session)
    const recording = sampleRecording({ project_id, room_session_id: session.id, status: 'recording' })
    await storage.recordings.insert(recording)
    const ada = await addUser(storage, project_id, 'ada', 'owner')
    write(join(dataDir, 'recordings', recording.file), 'media', 0o600)
    write(join(dataDir, 'recordings', 'unknown.mp4'), 'of a later moment')
    for (const name of ['lock', 'lock-journal']) write(join(dataDir, name), 'of the server that runs')

    let count = 0
    let stopped = false
    const writer = (async () => {
      for (; !stopped; count++) {
        await storage.rooms.insert(sampleRoom({ project_id, name: `room-${count}`, created_at: count }))
      }
    })()
    await expect.poll(() => count, { timeout: 10_000 }).toBeGreaterThanOrEqual(100)
    const before = count
    const run = await parley(['backup', backup], env)
    stopped = true
    await writer
    expect(run).toMatchObject({ code: 0, err: '' })

    const place = await elsewhere()
    const back = await parley(['restore', backup, '--json'], place)
    expect(back).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(back.out)).toMatchObject({ data_dir: place.PARLEY_DATA_DIR, format: 1 })
    const restored = await openRestored(place)
    const names: string[] = []
    const { rows } = await restored.rooms.list(project_id, {}, { limit: 100_000 })
    for (const room of rows) names.push(room.name)
    expect(names.length).toBeGreaterThanOrEqual(before)
    expect(names.length).toBeLessThanOrEqual(count)
    expect(names).toEqual(names.map((_, index) => `room-${names.length - 1 - index}`))
    expect(await restored.recordings.listInterrupted()).toEqual([recording])
    const user = await restored.users.find(project_id, ada)
    expect(user).toEqual(await storage.users.find(project_id, ada))
    expect(user?.password_hash).toMatch(/^\$argon2id/)
    await restored.close()

    const target = place.PARLEY_DATA_DIR ?? ''
    const files = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1))
    const expected = [
      `recordings/${recording.file}`,
      'secrets/root.key',
      'tls/ca-key.pem',
      'tls/ca.pem',
      ...(kind === 'SQLite' ? ['parley.db'] : []),
    ]
    expect(paths.filter((path) => !/parley\.db-/.test(path)).sort()).toEqual(expected.sort())
    for (const place of [backup, target]) {
      expect(modeOf(place)).toBe('700')
      expect(modeOf(join(place, 'secrets'))).toBe('700')
      expect(modeOf(join(place, 'secrets', 'root.key'))).toBe('600')
      expect(modeOf(join(place, 'tls', 'ca-key.pem'))).toBe('600')
      expect(modeOf(join(place, 'tls', 'ca.pem'))).toBe('644')
      expect(readFileSync(join(place, 'recordings', recording.file), 'utf8')).toBe('media')
    }
    if (kind === 'SQLite') {
      for (const place of [backup, target]) expect(modeOf(join(place, 'parley.db'))).toBe('600')
    }
  }, 120_000)

  it('is in the audit log, and so is its restoration; what was refused is not', async () => {
    write(join(folder, 'full', 'file'), 'something')
    expect((await parleyInProcess(['backup', join(folder, 'full')], env)).code).toBe(1)
    expect((await parleyInProcess(['backup', backup], env)).code).toBe(0)
    const entries = await storage.audit.list({}, 10)
    expect(entries).toMatchObject([
      { action: 'backup.create', actor_kind: 'os-user', about_project: null, details: { folder: backup } },
    ])
    const place = await elsewhere()
    expect((await parleyInProcess(['restore', backup], place)).code).toBe(0)
    const restored = await openRestored(place)
    const [newest, ...older] = await restored.audit.list({}, 10)
    await restored.close()
    expect(newest).toMatchObject({
      action: 'backup.restore',
      details: { folder: backup, as_of: expect.stringMatching(/^\d{4}-/) },
    })
    expect(older).toEqual(entries)
  }, 30_000)

  it('of an older version leaves the schema as it is, since it may be made before an upgrade', async () => {
    const db = await openDatabase(env.PARLEY_DATABASE_URL ?? databaseFile(dataDir))
    await sql`drop table audit_entries`.execute(db)
    await sql`delete from kysely_migration where name >= '0009'`.execute(db)
    expect(await parleyInProcess(['backup', backup], env)).toMatchObject({ code: 0, err: '' })
    const names = (await db.introspection.getTables()).map(({ name }) => name)
    await db.destroy()
    expect(names).not.toContain('audit_entries')
  }, 30_000)

  it('tells which recordings have lost their files', async () => {
    const session = sampleSession({ project_id })
    await storage.sessions.insert(session)
    const recording = sampleRecording({ project_id, room_session_id: session.id })
    await storage.recordings.insert(recording)
    const run = await parleyInProcess(['backup', backup, '--json'], env)
    expect(run.code).toBe(0)
    expect(run.err).toContain(recording.file)
    expect(JSON.parse(run.out).lost).toEqual([recording.file])
  }, 60_000)

  it('goes only where nothing is, and comes back only there', async () => {
    write(join(backup, 'precious'), 'x')
    const taken = await parleyInProcess(['backup', backup], env)
    expect(taken).toMatchObject({ code: 1, out: '' })
    expect(taken.err).toContain('is not empty')
    expect(readdirSync(backup)).toEqual(['precious'])
    expect(readdirSync(dirname(backup))).toEqual(['monday'])

    rmSync(join(backup, 'precious'))
    const made = await parleyInProcess(['backup', backup, '--json'], env)
    expect(JSON.parse(made.out)).toMatchObject({ folder: backup, lost: [], format: 1 })
    const back = await parleyInProcess(['restore', backup], env)
    expect(back.code).toBe(1)
    expect(back.err).toContain(`${dataDir} is not empty`)
    if (kind === 'PostgreSQL') {
      const used = await parleyInProcess(['restore', backup, '--data-dir', join(folder, 'new')], env)
      expect(used.err).toContain('The database of PARLEY_DATABASE_URL is not empty')
    }
  }, 60_000)

  it('is refused in words where it cannot be, and leaves nothing there', async () => {
    write(join(folder, 'file'), 'x')
    const recording = sampleRecording({ project_id, room_session_id: newId() })
    await storage.recordings.insert(recording)
    // A folder in place of the file cannot be copied.
    const unreadable = join(dataDir, 'recordings', recording.file)
    mkdirSync(unreadable, { recursive: true })
    const cases: [string, string][] = [
      [join(dataDir, 'backup'), 'is in the data folder'],
      [join(folder, 'file'), 'a file is in its way'],
      [join(folder, 'file', 'below'), 'a file is in its way'],
      [backup, `There is no backup in ${backup}: `],
    ]
    for (const [place, reason] of cases) {
      const run = await parleyInProcess(['backup', place], env)
      expect(run, place).toMatchObject({ code: 1, out: '' })
      expect(run.err).toContain(reason)
      expect(run.err).not.toMatch(/^\s+at /m)
    }
    expect(readdirSync(dataDir)).not.toContain('backup')
    expect(readdirSync(dirname(backup))).toEqual([])

    rmSync(unreadable, { recursive: true })
    expect((await parleyInProcess(['backup', backup], env)).code).toBe(0)
    const place = await elsewhere()
    const restoreTo = async (target: string, reason: string) => {
      const run = await parleyInProcess(['restore', backup, '--data-dir', target], place)
      expect(run, target).toMatchObject({ code: 1, out: '' })
      expect(run.err).toContain(reason)
      expect(run.err).not.toMatch(/^\s+at /m)
    }
    await restoreTo(join(backup, 'data'), 'is in the backup')
    await restoreTo(join(folder, 'file'), 'a file is in its way')
    const key = join(backup, 'secrets', 'root.key')
    const kept = readFileSync(key)
    writeFileSync(key, Buffer.alloc(kept.length))
    await restoreTo(join(folder, 'new'), 'The backup is damaged: secrets/root.key has other content')
    rmSync(key)
    mkdirSync(key)
    const manifest = readFileSync(join(backup, 'backup.json'), 'utf8')
    writeFileSync(
      join(backup, 'backup.json'),
      JSON.stringify(JSON.parse(manifest), (_, value) =>
        value?.path === 'secrets/root.key' ? { path: value.path, size: statSync(key).size } : value,
      ),
    )
    await restoreTo(join(folder, 'new'), `Nothing was restored into ${join(folder, 'new')}`)
    expect(readdirSync(join(folder, 'new'))).toEqual([])
    expect(readdirSync(backup)).not.toContain('data')
  }, 120_000)

  it('that is not whole is not restored', async () => {
    expect((await parleyInProcess(['backup', backup], env)).code).toBe(0)
    const place = await elsewhere()
    truncateSync(join(backup, 'secrets', 'root.key'), 1)
    expect((await parleyInProcess(['restore', backup], place)).err).toContain(
      'secrets/root.key has another size',
    )
    rmSync(join(backup, 'secrets', 'root.key'))
    expect((await parleyInProcess(['restore', backup], place)).err).toContain('secrets/root.key is missing')
    const manifest = JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8'))
    manifest.files = [{ path: '../../outside', size: 1 }]
    writeFileSync(join(backup, 'backup.json'), JSON.stringify(manifest))
    expect((await parleyInProcess(['restore', backup], place)).err).toContain('backup.json is damaged')
    writeFileSync(join(backup, 'backup.json'), JSON.stringify({ ...manifest, format: 2 }))
    expect((await parleyInProcess(['restore', backup], place)).err).toContain('newer version')
    rmSync(join(backup, 'backup.json'))
    expect((await parleyInProcess(['restore', backup], place)).err).toContain('is no backup')
    expect(existsSync(place.PARLEY_DATA_DIR ?? '')).toBe(false)
  }, 60_000)

  it('does not go into the other kind of database', async () => {
    expect((await parleyInProcess(['backup', backup], env)).code).toBe(0)
    const place: Record<string, string> = { PARLEY_DATA_DIR: join(folder, 'new') }
    if (kind === 'SQLite') place.PARLEY_DATABASE_URL = 'postgres://u@h/d'
    const run = await parleyInProcess(['restore', backup], place)
    expect(run.code).toBe(1)
    expect(run.err).toContain('PARLEY_DATABASE_URL')
    expect(existsSync(join(folder, 'new'))).toBe(false)
  }, 60_000)
})

describe('the parts of it', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-backup-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('forget recordings that were deleted while their files were copied', async () => {
    const [original, snapshot] = [join(folder, 'a.db'), join(folder, 'b.db')]
    const storage = await openStorage(original)
    await storage.projects.insert({ id: project_id, name: 'p', created_at: 1 })
    const [kept, deleted, lost] = [1, 2, 3].map(() =>
      sampleRecording({ project_id, room_session_id: newId() }),
    )
    if (!kept || !deleted || !lost) throw new Error('three were made')
    for (const recording of [kept, deleted, lost]) await storage.recordings.insert(recording)
    const known = await snapshotSqlite(original, snapshot)
    await storage.recordings.delete(project_id, deleted.id)
    await storage.close()
    const missing = known.filter(({ id }) => id !== kept.id)
    expect(forgetDeleted(original, snapshot, missing)).toEqual([{ id: lost.id, file: lost.file }])
    expect(readdirSync(folder).filter((name) => name.startsWith('b.db'))).toEqual(['b.db'])

    const copy = await openStorage(snapshot)
    const { rows } = await copy.recordings.list(project_id, {}, { limit: 10 })
    expect(rows.map(({ id }) => id).sort()).toEqual([kept.id, lost.id].sort())
    await copy.close()
  })

  it('keep a server from starting on what is half restored', () => {
    mkdirSync(join(folder, RESTORING))
    expect(() => openDataFolder(folder)).toThrow(DataFolderUnusable)
    expect(readdirSync(folder)).toEqual([RESTORING])
  })
})
