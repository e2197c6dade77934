import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../config.ts'
import { openStorage } from '../storage/open-storage.ts'
import { agreeOnRootKey, RootKeyDiffers } from './agreed-key.ts'
import { loadServerSecrets, presentServerSecrets } from './server-secrets.ts'

const KEY = Buffer.alloc(64, 1).toString('base64')

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'parley-key-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

it('lets servers with one key use a database together, and no other', async () => {
  const [one, other] = [folder(), folder()]
  const storage = await openStorage(join(one, 'parley.db'))
  onTestFinished(() => storage.close())
  const config = readConfig({ PARLEY_ROOT_KEY: KEY, PARLEY_DATA_DIR: one })
  await agreeOnRootKey(storage.sharedFacts, loadServerSecrets(config))
  await agreeOnRootKey(storage.sharedFacts, loadServerSecrets({ dataDir: other, rootKey: KEY }))
  const ownKey = loadServerSecrets({ dataDir: other })
  await expect(agreeOnRootKey(storage.sharedFacts, ownKey)).rejects.toThrow(RootKeyDiffers)
})

it('takes the key that was given, and makes no file for it', () => {
  const dataDir = folder()
  const { roomTokenKey } = loadServerSecrets({ dataDir, rootKey: KEY })
  expect(presentServerSecrets({ dataDir })).toBeUndefined()
  expect(loadServerSecrets({ dataDir }).roomTokenKey).not.toEqual(roomTokenKey)
  expect(presentServerSecrets({ dataDir, rootKey: KEY })?.roomTokenKey).toEqual(roomTokenKey)
})

it('refuses a key that is too short', () => {
  for (const text of ['secret', KEY.slice(4), `${KEY}\n${KEY}`]) {
    expect(() => readConfig({ PARLEY_ROOT_KEY: text })).toThrow('PARLEY_ROOT_KEY must be 64 random bytes')
  }
})
