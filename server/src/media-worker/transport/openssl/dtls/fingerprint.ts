import { opensslError } from '../error-queue.ts'
import { Memory } from '../memory.ts'
import { bind, POINTER } from '../native.ts'

/** What browsers may use (RFC 8122, section 5), without the broken ones. */
const DIGESTS = {
  'sha-256': { call: 'EVP_sha256', bytes: 32 },
  'sha-384': { call: 'EVP_sha384', bytes: 48 },
  'sha-512': { call: 'EVP_sha512', bytes: 64 },
} as const

type Algorithm = keyof typeof DIGESTS

/** EVP_MAX_MD_SIZE: no digest is longer. */
const LONGEST_DIGEST_BYTES = 64

const digestOfCertificate = bind<
  (certificate: number, digest: number, out: number, length: number) => number
>('X509_digest', 'int', [POINTER, POINTER, POINTER, POINTER])

const digest = new Memory(LONGEST_DIGEST_BYTES)
const digestLength = new Memory(4)

/** A fingerprint as SDP tells it. */
export interface Fingerprint {
  algorithm: Algorithm
  /** Upper-case hexadecimal bytes with colons between. */
  value: string
}

/** Reads the value of a `fingerprint` line. @returns null where it is malformed, or its algorithm is broken or unknown */
export function parseFingerprint(line: string): Fingerprint | null {
  const [name = '', value = ''] = line.split(' ')
  const algorithm = name.toLowerCase()
  if (!isAlgorithm(algorithm)) return null
  const bytes = new RegExp(`^[0-9A-F]{2}(:[0-9A-F]{2}){${DIGESTS[algorithm].bytes - 1}}$`)
  return bytes.test(value.toUpperCase()) ? { algorithm, value: value.toUpperCase() } : null
}

function isAlgorithm(name: string): name is Algorithm {
  return Object.hasOwn(DIGESTS, name)
}

/** @param certificate pointer to an X509 */
export function fingerprintOf(certificate: number, algorithm: Algorithm): string {
  const { call, bytes } = DIGESTS[algorithm]
  const method = bind<() => number>(call, POINTER, [])()
  const done = digestOfCertificate(
    certificate,
    method,
    digest.at(0, LONGEST_DIGEST_BYTES),
    digestLength.at(0, 4),
  )
  if (done !== 1 || digestLength.bytes.readUInt32LE(0) !== bytes) throw opensslError('X509_digest')
  const hex = digest.bytes.toString('hex', 0, bytes).toUpperCase()
  return hex.match(/../g)!.join(':')
}
