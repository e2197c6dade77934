import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ForeignFolder, makePrivateFolder } from './private-folder.ts'

let parent: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'parley-private-'))
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

const modeOf = (place: string) => statSync(place).mode & 0o777

test('a new folder is for its owner alone', () => {
  const folder = join(parent, 'new')
  expect(makePrivateFolder(folder)).toBe(false)
  expect(modeOf(folder)).toBe(0o700)
})

test('a folder that others can read is closed to them, with the database in it', () => {
  const folder = join(parent, 'wide')
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  const database = join(folder, 'parley.db')
  writeFileSync(database, '')
  chmodSync(database, 0o644)
  expect(makePrivateFolder(folder)).toBe(true)
  expect(modeOf(folder)).toBe(0o700)
  expect(modeOf(database)).toBe(0o600)
  expect(makePrivateFolder(folder)).toBe(false)
})

test('a folder of another user is refused, in words that say what to do', () => {
  const { getuid } = process
  const other = statSync(parent).uid + 1
  process.getuid = () => other
  try {
    expect(() => makePrivateFolder(parent)).toThrow(ForeignFolder)
    expect(() => makePrivateFolder(parent)).toThrow(/chown -R/)
  } finally {
    process.getuid = getuid!
  }
})
