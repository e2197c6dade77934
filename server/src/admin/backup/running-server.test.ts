import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startTestServer } from '../../testing/server-for-tests.ts'
import { parley } from '../parley-command.ts'

it('a server goes on from its backup as if it were the first: rooms, tokens, authority', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-moved-'))
  const first = await startTestServer()
  try {
    for (const name of ['lobby', 'hall']) await first.call('rooms', { method: 'POST', body: { name } })
    const { json: room } = await first.call('rooms/lobby')
    const listed = await first.call('rooms?page_size=1')
    const project = ['--project', first.projectId]
    const made = await parley(['tokens', 'create', ...project, '--scopes', 'video'], {
      PARLEY_DATA_DIR: first.dataDir,
    })
    const credentials = { user: first.projectId, password: made.out.trim() }
    expect((await first.call('rooms', { credentials })).status).toBe(200)

    const backup = join(folder, 'backup')
    expect((await parley(['backup', backup], { PARLEY_DATA_DIR: first.dataDir })).code).toBe(0)
    await first.call(`rooms/${room.id}`, { method: 'DELETE' })
    const PARLEY_DATA_DIR = join(folder, 'data')
    expect((await parley(['restore', backup], { PARLEY_DATA_DIR })).code).toBe(0)

    const second = await startTestServer({ PARLEY_DATA_DIR })
    try {
      expect(second.ca.equals(first.ca)).toBe(true)
      expect((await second.call(`rooms/${room.id}`, { credentials })).json).toEqual(room)
      // A page token is signed with a key of the data folder.
      expect((await second.call(listed.json.links.next)).json.data).toEqual([room])
    } finally {
      await second.stop()
    }
  } finally {
    await first.stop()
    rmSync(folder, { recursive: true })
  }
}, 60_000)
