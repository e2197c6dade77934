import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { KeyedCertificate } from './authority.ts'
import { writeWhole } from './write-whole.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** A certificate is replaced when its remaining time is shorter than this. */
const RENEW_BEFORE_MS = 30 * DAY_MS
/**
 * An authority is replaced when its remaining time is shorter than this, because it would soon shorten the life of the
 * certificates that it signs.
 */
const RENEW_AUTHORITY_BEFORE_MS = 400 * DAY_MS

/** File with the public certificate of the server's own authority, for people to import. */
export const authorityFile = (dataDir: string): string => join(dataDir, 'tls', 'ca.pem')

/** The common name of an authority. It has a number, which tells the authorities of several servers apart. */
export function authorityName({ subject }: X509Certificate): string {
  return /^CN=(.+)$/m.exec(subject)?.[1] ?? 'Parley authority'
}

/**
 * Every name that a client may use for this machine: its addresses, its own name, and the configured names.
 * @param configured host names and addresses; wildcard addresses are left out, because they name no machine
 */
export function machineNames(configured: readonly string[]): string[] {
  const addresses = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .map((entry) => entry.address)
    // Link-local addresses need a zone, which no certificate can carry.
    .filter((address) => !/^fe80:/i.test(address))
  const names = ['localhost', '127.0.0.1', '::1', ...addresses, hostname(), ...configured]
  const isUsable = (name: string) =>
    isIP(name) ? name !== '0.0.0.0' && name !== '::' : /^(\*\.)?[a-z0-9][a-z0-9.-]*$/i.test(name)
  return [...new Set(names.filter(isUsable).map((name) => name.toLowerCase()))]
}

/**
 * Returns the server certificate, signed by the server's own authority, from `tls/` in the data folder. A certificate
 * that is missing, near its end, or does not cover a name is replaced. The authority stays, so that browsers that trust
 * it keep their trust.
 * @param now Unix milliseconds
 */
export async function ownCertificate(
  dataDir: string,
  names: readonly string[],
  now: number,
): Promise<KeyedCertificate> {
  const folder = join(dataDir, 'tls')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = (name: string) => join(folder, name)

  let authority = await readPair(file('ca.pem'), file('ca-key.pem'))
  if (!authority || lifeLeftMs(authority.cert, now) < RENEW_AUTHORITY_BEFORE_MS) {
    authority = await (await signing()).makeAuthority(now)
    await writePair(authority, file('ca.pem'), file('ca-key.pem'))
  }
  const present = await readPair(file('server.pem'), file('server-key.pem'))
  if (present && fits(present.cert, authority.cert, names, now)) return present
  const issued = await (await signing()).issueCertificate(authority, names, now)
  await writePair(issued, file('server.pem'), file('server-key.pem'))
  return issued
}

/** Loaded once a year: its libraries take some megabytes. */
const signing = () => import('./authority.ts')

function lifeLeftMs(cert: string, now: number): number {
  return new X509Certificate(cert).validToDate.getTime() - now
}

function fits(cert: string, authority: string, names: readonly string[], now: number): boolean {
  const parsed = new X509Certificate(cert)
  return (
    lifeLeftMs(cert, now) > RENEW_BEFORE_MS &&
    parsed.validFromDate.getTime() <= now &&
    parsed.verify(new X509Certificate(authority).publicKey) &&
    names.every((name) => bears(parsed, name))
  )
}

/**
 * Whether a certificate is valid for a host name or address. A name with an asterisk stands for every name of that
 * kind.
 */
export function bears(certificate: X509Certificate, name: string): boolean {
  if (isIP(name)) return certificate.checkIP(name) !== undefined
  return certificate.checkHost(name.replace(/^\*/, ANY_LABEL)) !== undefined
}

/** A label that no certificate names explicitly, so only a wildcard matches it. */
const ANY_LABEL = 'any-name-at-all'

/**
 * Reads a certificate with its key; undefined when one is missing, or when they do not belong together after a crash.
 */
async function readPair(certFile: string, keyFile: string): Promise<KeyedCertificate | undefined> {
  try {
    const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')])
    const belong = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
    return belong ? { cert, key } : undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM' || code === 'EISDIR') throw error
    return undefined
  }
}

async function writePair(pair: KeyedCertificate, certFile: string, keyFile: string): Promise<void> {
  await writeWhole(keyFile, pair.key, 0o600)
  await writeWhole(certFile, pair.cert, 0o644)
}
