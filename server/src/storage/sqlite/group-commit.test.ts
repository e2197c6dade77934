import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Connection } from './connection.ts'
import { GroupCommit, IDLE_TRANSACTION_MS } from './group-commit.ts'
import type { Answer, Request } from './messages.ts'

/** A connection that counts how often it waited for the disk. */
class CountingConnection extends Connection {
  commits = 0

  override run(sql: string, parameters?: readonly unknown[]) {
    if (sql === 'commit') this.commits++
    return super.run(sql, parameters)
  }
}

let folder: string
let file: string
let connection: CountingConnection
let group: GroupCommit
let answers: Answer[]
let nowMs: number
let alarm: { atMs: number; callback: () => void } | undefined

const clock = {
  now: () => nowMs,
  monotonicMs: () => nowMs,
  after(delayMs: number, callback: () => void) {
    const mine = { atMs: nowMs + delayMs, callback }
    alarm = mine
    return {
      cancel: () => {
        if (alarm === mine) alarm = undefined
      },
    }
  },
}

let lastId: number
const insert = (name: string, transaction: number | null = null): Request => ({
  kind: 'run',
  id: ++lastId,
  transaction,
  sql: 'insert into names values (?, ?)',
  parameters: [name, 'x'.repeat(100)],
})
const end = (kind: 'commit' | 'rollback', transaction: number): Request => ({
  kind,
  id: ++lastId,
  transaction,
})

/** Outcomes since the last call, in the order of the requests: `true`, or the code of the failure. */
function outcomes() {
  const sorted = answers.splice(0).sort((a, b) => a.id - b.id)
  return sorted.map(({ outcome }) => ('code' in outcome ? outcome.code : true))
}

/** Rows that another process would find. */
function stored(): unknown[] {
  const other = new Connection(file, 'read')
  const { rows } = other.run('select name from names order by name')
  other.close()
  return rows.map((row) => (row as { name: string }).name)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-group-'))
  file = join(folder, 'group.db')
  connection = new CountingConnection(file, 'write')
  connection.run('create table names (name text primary key not null, filling text) without rowid')
  answers = []
  lastId = 0
  nowMs = 0
  alarm = undefined
  group = new GroupCommit(connection, clock, (more) => answers.push(...more))
})

afterEach(() => {
  connection.close()
  rmSync(folder, { recursive: true })
})

it('is durable to the letter', () => {
  expect(connection.run('pragma synchronous').rows).toEqual([{ synchronous: 2 }])
  expect(connection.run('pragma journal_mode').rows).toEqual([{ journal_mode: 'wal' }])
})

describe('a group', () => {
  it('has one commit for all, and each is answered after it', () => {
    const requests = Array.from({ length: 64 }, (_, index) => insert(`n${index}`))
    group.accept(requests)
    expect(connection.commits).toBe(1)
    expect(outcomes()).toEqual(requests.map(() => true))
    expect(stored()).toHaveLength(64)
  })

  it('has room for transactions too', () => {
    group.accept([insert('a'), insert('b', 1), insert('c', 1), end('commit', 1), insert('d'), insert('e', 2)])
    expect(connection.commits).toBe(0)
    expect(answers.map((answer) => answer.id)).toEqual([2, 3, 6])
    group.accept([end('commit', 2)])
    expect(connection.commits).toBe(1)
    expect(outcomes()).toEqual([true, true, true, true, true, true, true])
    expect(stored()).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('is not spoiled by a statement that fails', () => {
    group.accept([insert('a'), insert('a'), insert('b')])
    expect(outcomes()).toEqual([true, 'SQLITE_CONSTRAINT_PRIMARYKEY', true])
    expect(stored()).toEqual(['a', 'b'])
  })

  it('is not spoiled by a transaction that is rolled back', () => {
    group.accept([insert('a'), insert('b', 1), insert('b', 1), end('rollback', 1), insert('c')])
    expect(outcomes()).toEqual([true, true, 'SQLITE_CONSTRAINT_PRIMARYKEY', true, true])
    expect(stored()).toEqual(['a', 'c'])
  })

  it('answers what failed in it no sooner than the rest, so that a look at once finds what stood in the way', () => {
    group.accept([insert('a'), insert('a'), insert('b', 1)])
    expect(outcomes()).toEqual([true])
    group.accept([end('commit', 1)])
    expect(outcomes()).toEqual([true, 'SQLITE_CONSTRAINT_PRIMARYKEY', true])
    expect(stored()).toEqual(['a', 'b'])

    group.accept([insert('c'), insert('c', 2), end('rollback', 2), insert('d', 3)])
    expect(outcomes()).toEqual(['SQLITE_CONSTRAINT_PRIMARYKEY', true])
    group.accept([end('commit', 3)])
    expect(outcomes()).toEqual([true, true, true])
    expect(stored()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('that has lasted is committed before the next transaction', () => {
    group.accept([insert('a'), insert('b', 1)])
    nowMs = 100
    group.accept([insert('c', 2), insert('d', 2), end('commit', 2), end('commit', 1)])
    expect(connection.commits).toBe(2)
    expect(outcomes()).toEqual([true, true, true, true, true, true])
    expect(stored()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('fails as a whole when the disk is full, and the next one succeeds when it is not', () => {
    group.accept([insert('before')])
    const { page_count } = connection.run('pragma page_count').rows[0] as { page_count: number }
    connection.run(`pragma max_page_count = ${page_count + 2}`)
    group.accept(Array.from({ length: 500 }, (_, index) => insert(`n${index}`)))
    const came = outcomes()
    expect(came[0]).toBe(true)
    const failed = came.slice(1).filter((outcome) => outcome !== true)
    expect(failed.length).toBeGreaterThan(0)
    expect(new Set(failed)).toEqual(new Set(['SQLITE_FULL']))
    expect(stored()).toHaveLength(came.length - failed.length)

    connection.run('pragma max_page_count = 100000')
    group.accept([insert('after')])
    expect(outcomes()).toEqual([true])
    expect(stored()).toContain('after')
  })

  it('fails, and loses nobody, while another process keeps the database locked', () => {
    connection.run('pragma busy_timeout = 20')
    const other = new Connection(file, 'write')
    other.run('begin immediate')
    group.accept([insert('a'), insert('b', 1), end('commit', 1)])
    expect(outcomes()).toEqual(['SQLITE_BUSY', 'SQLITE_BUSY', 'SQLITE_BUSY'])
    other.run('rollback')
    other.close()
    group.accept([insert('c', 1), end('rollback', 1), insert('d')])
    expect(outcomes()).toEqual(['SQLITE_BUSY', true, true])
    expect(stored()).toEqual(['d'])
  })
})

describe('a transaction', () => {
  it('makes others wait, in their order, until it ends', () => {
    group.accept([insert('a', 1)])
    group.accept([insert('b', 2), insert('c'), insert('d', 1)])
    expect(answers.map((answer) => answer.id)).toEqual([1, 4])
    group.accept([end('rollback', 1)])
    expect(answers.map((answer) => answer.id)).toEqual([1, 4, 2])
    group.accept([end('commit', 2)])
    expect(stored()).toEqual(['b', 'c'])
  })

  it('may have no statement at all', () => {
    group.accept([end('commit', 1), end('rollback', 2)])
    expect(outcomes()).toEqual([true, true])
    expect(connection.commits).toBe(0)
  })

  it('that does nothing for long is given up for the sake of the others', () => {
    group.accept([insert('a', 1), insert('b')])
    expect(outcomes()).toEqual([true])
    expect(alarm?.atMs).toBe(IDLE_TRANSACTION_MS)
    alarm?.callback()
    expect(outcomes()).toEqual([true])
    group.accept([insert('c', 1), end('commit', 1), insert('d')])
    expect(outcomes()).toEqual(['SQLITE_ABORT', 'SQLITE_ABORT', true])
    expect(stored()).toEqual(['b', 'd'])
  })
})
