import { hkdfSync, randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** Keys that only this server knows. They survive restarts. Anyone who has them can forge tokens and links. */
export interface ServerSecrets {
  /** Signs room tokens; 64 bytes for HS512. */
  readonly roomTokenKey: Uint8Array
  /** Signs the tokens of subscribers and guests; 64 bytes for HS512. */
  readonly accessTokenKey: Uint8Array
  /** Signs chat tokens; 64 bytes for HS512. */
  readonly chatTokenKey: Uint8Array
  /** Signs page tokens; 32 bytes. */
  readonly pagingKey: Uint8Array
  /** Signs media links; 32 bytes. */
  readonly mediaLinkKey: Uint8Array
  /** Encrypts stored values that must be shown again, such as conference tokens; 32 bytes for AES-256-GCM. */
  readonly sealingKey: Uint8Array
  /** Tells one root key from another, and nothing else about it. Hexadecimal. */
  readonly fingerprint: string
}

const ROOT_KEY_BYTES = 64
const rootKeyFile = (dataDir: string) => join(dataDir, 'secrets', 'root.key')

/** Where the root key comes from. */
export interface RootKeyPlace {
  dataDir: string
  /** The key itself, in base64, if the operator gave it. Default: the one in the data folder. */
  rootKey?: string | null
}

/**
 * Takes the root key that the operator gave, or reads it from the data folder, where it is created at the first start
 * (file mode 0600). A key for each purpose is derived from it by HKDF (RFC 5869).
 * @throws when the file exists but is not a valid key: a new key would make all tokens invalid
 */
export function loadServerSecrets({ dataDir, rootKey }: RootKeyPlace): ServerSecrets {
  return derivedFrom(rootKey ? Buffer.from(rootKey, 'base64') : readOrMakeRootKey(dataDir))
}

/**
 * Like {@link loadServerSecrets}, but never creates a key.
 * @returns undefined when the data folder has no key
 * @throws when the file exists but is not a valid key
 */
export function presentServerSecrets({ dataDir, rootKey }: RootKeyPlace): ServerSecrets | undefined {
  try {
    return derivedFrom(rootKey ? Buffer.from(rootKey, 'base64') : readRootKey(rootKeyFile(dataDir)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function derivedFrom(root: Buffer): ServerSecrets {
  const derive = (purpose: string, bytes: number) =>
    new Uint8Array(hkdfSync('sha512', root, Buffer.alloc(0), `parley/${purpose}`, bytes))
  return {
    roomTokenKey: derive('room-token', 64),
    accessTokenKey: derive('access-token', 64),
    chatTokenKey: derive('chat-token', 64),
    pagingKey: derive('paging', 32),
    mediaLinkKey: derive('media-link', 32),
    sealingKey: derive('sealing', 32),
    fingerprint: Buffer.from(derive('fingerprint', 16)).toString('hex'),
  }
}

function readOrMakeRootKey(dataDir: string): Buffer {
  const file = rootKeyFile(dataDir)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    return readRootKey(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  // The key is written to a draft file first and then linked, so that nobody ever reads half a key, and a second server
  // does not replace it.
  const draft = `${file}.${process.pid}`
  const handle = openSync(draft, 'w', 0o600)
  writeSync(handle, `${randomBytes(ROOT_KEY_BYTES).toString('base64')}\n`)
  fsyncSync(handle)
  closeSync(handle)
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
  return readRootKey(file)
}

function readRootKey(file: string): Buffer {
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  if (key.length !== ROOT_KEY_BYTES) {
    throw new Error(
      `${file} is damaged: restore it from a backup. (Deleting it makes a new one, and all tokens and links invalid.)`,
    )
  }
  return key
}
