import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeyedCertificate } from '../tls/authority.ts'
import { bears } from '../tls/own-certificates.ts'
import { writeWhole } from '../tls/write-whole.ts'

const OWNER_ONLY = 0o600

/** What the last attempt to get a certificate came to. */
export interface AttemptRecord {
  /** Directory of the ACME server that was asked. */
  directoryUrl: string
  /** Unix milliseconds. */
  lastTriedAt: number
  /** Failures in a row; 0 after a success. */
  failures: number
  /** Unix milliseconds; null after a success, and while an attempt is under way. */
  nextTryAt: number | null
  /** The authority demanded the wait until then. */
  isDemanded: boolean
  /** Why it failed, with what to do; null after a success. */
  problem: string | null
}

/** Folder of everything about ACME in a data folder. */
export const acmeFolder = (dataDir: string): string => join(dataDir, 'tls', 'acme')

/** File with the certificate chain of a name, and its key. Both are in one file, so that they always belong together. */
export const acmeCertificateFile = (dataDir: string, name: string): string =>
  join(acmeFolder(dataDir), `${name}.pem`)

const recordFile = (dataDir: string, name: string) => join(acmeFolder(dataDir), `${name}.json`)

/** The key of the account at the ACME server, in PEM. It is made at the first call. */
export async function accountKey(dataDir: string): Promise<string> {
  const file = join(acmeFolder(dataDir), 'account-key.pem')
  const kept = await readOptional(file)
  if (kept !== undefined) return kept
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const made = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await write(dataDir, file, made)
  return made
}

/**
 * The kept certificate of a name. Undefined when there is none, when it is damaged, of another name, or has ended.
 * @param now Unix milliseconds
 */
export async function keptCertificate(
  dataDir: string,
  name: string,
  now: number,
): Promise<KeyedCertificate | undefined> {
  const text = await readOptional(acmeCertificateFile(dataDir, name))
  if (text === undefined) return undefined
  const key = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----\n?/.exec(text)?.[0]
  if (key === undefined) return undefined
  const pair = { cert: text.replace(key, ''), key }
  return objection(pair, name, now) === undefined ? pair : undefined
}

/**
 * Why a certificate cannot be served for a name; undefined when it can.
 * @param now Unix milliseconds
 */
export function objection({ cert, key }: KeyedCertificate, name: string, now: number): string | undefined {
  let parsed: X509Certificate
  try {
    parsed = new X509Certificate(cert)
    if (!parsed.checkPrivateKey(createPrivateKey(key))) return 'it is of another key'
  } catch {
    return 'it is no certificate'
  }
  if (!bears(parsed, name)) return `it is not for ${name}`
  return parsed.validToDate.getTime() <= now ? `it ended on ${parsed.validTo}` : undefined
}

/** Keeps a certificate, readable to the owner alone. */
export async function keepCertificate(dataDir: string, name: string, pair: KeyedCertificate): Promise<void> {
  await write(dataDir, acmeCertificateFile(dataDir, name), `${pair.cert.trimEnd()}\n${pair.key}`)
}

/** What the last attempt for a name came to; null when there was none. */
export async function lastAttempt(dataDir: string, name: string): Promise<AttemptRecord | null> {
  try {
    const read: unknown = JSON.parse((await readOptional(recordFile(dataDir, name))) ?? 'null')
    return isRecord(read) ? read : null
  } catch {
    // A damaged file says no more than a missing one.
    return null
  }
}

function isRecord(read: unknown): read is AttemptRecord {
  const { directoryUrl, lastTriedAt, failures, nextTryAt } = (read ?? {}) as Partial<AttemptRecord>
  const isTime = (value: unknown) => Number.isSafeInteger(value)
  return (
    typeof directoryUrl === 'string' &&
    isTime(lastTriedAt) &&
    isTime(failures) &&
    (nextTryAt === null || isTime(nextTryAt))
  )
}

/** Keeps what an attempt came to, so that a restart neither forgets it nor asks the authority more often. */
export async function keepAttempt(dataDir: string, name: string, record: AttemptRecord): Promise<void> {
  await write(dataDir, recordFile(dataDir, name), `${JSON.stringify(record, null, 2)}\n`)
}

async function write(dataDir: string, file: string, text: string): Promise<void> {
  await mkdir(acmeFolder(dataDir), { recursive: true, mode: 0o700 })
  await writeWhole(file, text, OWNER_ONLY)
}

async function readOptional(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
