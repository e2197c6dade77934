import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashApiToken, newApiToken, sameHash } from './api-token-secret.ts'
import { loadServerSecrets } from './server-secrets.ts'

let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'parley-secrets-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

it('makes keys once and keeps them', () => {
  const first = loadServerSecrets({ dataDir })
  expect(loadServerSecrets({ dataDir })).toEqual(first)
  expect(first.roomTokenKey).toHaveLength(64)
  const all = Object.values(first).map((key) => Buffer.from(key).toString('hex').slice(0, 64))
  expect(new Set(all).size).toBe(all.length)
})

it('keeps the root key to itself', () => {
  loadServerSecrets({ dataDir })
  expect(readdirSync(join(dataDir, 'secrets'))).toEqual(['root.key'])
  expect(statSync(join(dataDir, 'secrets', 'root.key')).mode & 0o777).toBe(0o600)
  expect(statSync(join(dataDir, 'secrets')).mode & 0o777).toBe(0o700)
})

it('does not replace a damaged key', () => {
  loadServerSecrets({ dataDir })
  writeFileSync(join(dataDir, 'secrets', 'root.key'), 'half a k')
  expect(() => loadServerSecrets({ dataDir })).toThrow(/damaged/)
})

it('tells API tokens apart by their hashes', () => {
  const token = newApiToken()
  expect(token).toMatch(/^PT[0-9a-f]{48}$/)
  expect(newApiToken()).not.toBe(token)
  expect(sameHash(hashApiToken(token), hashApiToken(token))).toBe(true)
  expect(sameHash(hashApiToken(token), hashApiToken(`${token} `))).toBe(false)
  expect(sameHash(hashApiToken(token), '')).toBe(false)
})
