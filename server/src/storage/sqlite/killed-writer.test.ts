import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStorage } from '../open-storage.ts'

it('has every room that was answered before the process was killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-killed-'))
  const file = join(folder, 'parley.db')
  const script = join(import.meta.dirname, '../../testing/killed-writer.ts')
  const writer = spawn(process.execPath, [script, file, 'p'], { stdio: ['ignore', 'pipe', 'inherit'] })
  let told = ''
  writer.stdout.setEncoding('utf8').on('data', (text: string) => {
    told += text
    if (told.length > 50_000) writer.kill('SIGKILL')
  })
  await once(writer, 'close')
  expect(writer.signalCode).toBe('SIGKILL')

  const ids = told.split('\n').slice(0, -1)
  expect(ids.length).toBeGreaterThan(1000)
  const storage = await openStorage(file)
  for (const id of ids) expect(await storage.rooms.find('p', id)).toBeDefined()
  await storage.close()
  rmSync(folder, { recursive: true })
})
