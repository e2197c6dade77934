import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DataFolderUnusable, holdDataFolder, openDataFolder } from './data-folder.ts'

let folder: string
const others: ChildProcess[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-folder-'))
})
afterEach(() => {
  for (const other of others.splice(0)) other.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

/**
 * Starts another process that holds the folder. It calls `tellEnding` on the message `ending`, and `release` on
 * `release`.
 */
async function otherServer(): Promise<ChildProcess> {
  const module = join(import.meta.dirname, 'data-folder.ts')
  const script = `
    import { createInterface } from 'node:readline'
    const { openDataFolder } = await import(${JSON.stringify(module)})
    const folder = openDataFolder(${JSON.stringify(folder)})
    process.stdout.write('held')
    for await (const word of createInterface(process.stdin)) folder[word]()`
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  others.push(other)
  await once(other.stdout!, 'data')
  return other
}

it('names the process that has the folder', async () => {
  const { pid } = await otherServer()
  expect(() => openDataFolder(folder)).toThrow(new RegExp(`process ${pid}, since .*stop that one first`))
})

it('waits for a server that is ending, and says so', async () => {
  const other = await otherServer()
  other.stdin!.write('tellEnding\n')
  const lines: string[] = []
  const held = holdDataFolder(folder, (line) => {
    lines.push(line)
    other.stdin!.write('release\n')
  })
  const mine = await held
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(`process ${other.pid}`)
  mine.release()
})

it('takes the folder of a process that was killed, even if another one has got its id', async () => {
  const other = await otherServer()
  other.kill('SIGKILL')
  await once(other, 'exit')
  // The id of the dead process now belongs to another running process: here, to the parent of this one.
  const holder = { pid: process.ppid, host: hostname(), since: new Date().toISOString(), ending: false }
  writeFileSync(join(folder, 'lock-holder.json'), JSON.stringify(holder))
  openDataFolder(folder).release()
})

it('is not fooled by a holder that is no JSON', async () => {
  await otherServer()
  writeFileSync(join(folder, 'lock-holder.json'), '{')
  expect(() => openDataFolder(folder)).toThrow(DataFolderUnusable)
  expect(() => openDataFolder(folder)).toThrow('another server is using it')
})
