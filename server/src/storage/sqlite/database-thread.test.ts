import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DatabaseThread } from './database-thread.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-thread-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const statement = (sql: string, ...parameters: unknown[]) =>
  ({ kind: 'run', transaction: null, sql, parameters }) as const

it('does what was asked of it before it was closed, and nothing after', async () => {
  const thread = await DatabaseThread.open({ file: join(folder, 'a.db'), mode: 'write' })
  const made = thread.ask(statement('create table t (x)'))
  const filled = thread.ask(statement('insert into t values (?)', 7))
  await thread.close()
  expect(await made).toEqual({ rows: [], changes: 0 })
  expect(await filled).toEqual({ rows: [], changes: 1 })
  await expect(thread.ask(statement('select 1'))).rejects.toThrow('closed')
  await thread.close()
})

it('says what is wrong with a file', async () => {
  const missing = DatabaseThread.open({ file: join(folder, 'b.db'), mode: 'read' })
  await expect(missing).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' })
})

it('refuses what cannot be sent, and goes on', async () => {
  const thread = await DatabaseThread.open({ file: join(folder, 'c.db'), mode: 'write' })
  await expect(thread.ask(statement('select ?', () => {}))).rejects.toThrow(/could not be cloned/)
  await expect(thread.ask(statement('select ?', {}))).rejects.toThrow()
  expect(await thread.ask(statement('select 1 as one'))).toEqual({ rows: [{ one: 1 }] })
  await thread.close()
})

it('leaves nobody waiting when it dies, and tells', async () => {
  const script = `
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', () => { throw new Error('out of memory') })
    parentPort.postMessage('opened')`
  const faults: Error[] = []
  const thread = await DatabaseThread.open(
    { file: '', mode: 'write' },
    {
      onFault: (error) => faults.push(error),
      script: new URL(`data:text/javascript,${encodeURIComponent(script)}`),
    },
  )
  await expect(thread.ask(statement('select 1'))).rejects.toThrow('the database thread has ended')
  await expect(thread.ask(statement('select 1'))).rejects.toThrow('the database thread has ended')
  expect(faults.map((error) => (error.cause as Error).message)).toEqual(['out of memory'])
})
