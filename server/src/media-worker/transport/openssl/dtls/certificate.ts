import { generateKeyPairSync, randomInt } from 'node:crypto'
import { opensslError } from '../error-queue.ts'
import { Memory } from '../memory.ts'
import { bind, POINTER } from '../native.ts'
import { fingerprintOf } from './fingerprint.ts'

type OnePointer = (object: number) => number
type TwoPointers = (object: number, value: number) => number
type WithNumber = (object: number, value: number) => number

const readPrivateKey = bind<(key: number, position: number, length: number) => number>(
  'd2i_AutoPrivateKey',
  POINTER,
  [POINTER, POINTER, 'long'],
)
const newCertificate = bind<() => number>('X509_new', POINTER, [])
const freeCertificate = bind<(certificate: number) => void>('X509_free', 'void', [POINTER])
const freeKey = bind<(key: number) => void>('EVP_PKEY_free', 'void', [POINTER])
const setVersion = bind<WithNumber>('X509_set_version', 'int', [POINTER, 'long'])
const serialNumber = bind<OnePointer>('X509_get_serialNumber', POINTER, [POINTER])
const setInteger = bind<WithNumber>('ASN1_INTEGER_set', 'int', [POINTER, 'long'])
const notBefore = bind<OnePointer>('X509_getm_notBefore', POINTER, [POINTER])
const notAfter = bind<OnePointer>('X509_getm_notAfter', POINTER, [POINTER])
const setTimeFromNow = bind<WithNumber>('X509_gmtime_adj', POINTER, [POINTER, 'long'])
const subjectName = bind<OnePointer>('X509_get_subject_name', POINTER, [POINTER])
const setIssuerName = bind<TwoPointers>('X509_set_issuer_name', 'int', [POINTER, POINTER])
const setPublicKey = bind<TwoPointers>('X509_set_pubkey', 'int', [POINTER, POINTER])
const sign = bind<(certificate: number, key: number, digest: number) => number>('X509_sign', 'int', [
  POINTER,
  POINTER,
  POINTER,
])
const sha256 = bind<() => number>('EVP_sha256', POINTER, [])
const addNameEntry = bind<
  (
    name: number,
    field: string,
    type: number,
    value: string,
    length: number,
    at: number,
    set: number,
  ) => number
>('X509_NAME_add_entry_by_txt', 'int', [POINTER, 'str', 'int', 'str', 'int', 'int', 'int'])

/** `X509_VERSION_3` and `MBSTRING_UTF8` of OpenSSL. */
const VERSION_3 = 2
const UTF8 = 0x1000
const DAY_S = 86_400
const VALID_DAYS = 30

/** A self-signed certificate of ours with its ECDSA key (P-256). A peer knows it by its fingerprint alone. */
export class Certificate {
  #certificate: number
  #key: number
  /** As in the `fingerprint` line of SDP. */
  readonly fingerprint: string

  private constructor(certificate: number, key: number) {
    this.#certificate = certificate
    this.#key = key
    this.fingerprint = `sha-256 ${fingerprintOf(certificate, 'sha-256')}`
  }

  static create(): Certificate {
    const key = newKey()
    const certificate = newCertificate()
    try {
      if (certificate === 0) throw opensslError('X509_new')
      fill(certificate, key)
      return new Certificate(certificate, key)
    } catch (error) {
      freeCertificate(certificate)
      freeKey(key)
      throw error
    }
  }

  /** Pointers to the X509 and the EVP_PKEY. @throws after {@link close} */
  get handles(): { certificate: number; key: number } {
    if (this.#certificate === 0) throw new Error('the certificate is closed')
    return { certificate: this.#certificate, key: this.#key }
  }

  /** Associations that use the certificate go on. Idempotent. */
  close(): void {
    if (this.#certificate === 0) return
    freeCertificate(this.#certificate)
    freeKey(this.#key)
    this.#certificate = this.#key = 0
  }
}

function newKey(): number {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const der = Memory.of(privateKey.export({ type: 'pkcs8', format: 'der' }))
  const position = new Memory(8)
  position.writePointer(0, der.at(0, der.length))
  const key = readPrivateKey(0, position.at(0, 8), der.length)
  der.bytes.fill(0)
  if (key === 0) throw opensslError('d2i_AutoPrivateKey')
  return key
}

function fill(certificate: number, key: number): void {
  const name = subjectName(certificate)
  const done =
    setVersion(certificate, VERSION_3) === 1 &&
    setInteger(serialNumber(certificate), randomInt(1, 2 ** 31)) === 1 &&
    // A day earlier, for browsers whose clock is behind.
    setTimeFromNow(notBefore(certificate), -DAY_S) !== 0 &&
    setTimeFromNow(notAfter(certificate), VALID_DAYS * DAY_S) !== 0 &&
    addNameEntry(name, 'CN', UTF8, 'parley', -1, -1, 0) === 1 &&
    setIssuerName(certificate, name) === 1 &&
    setPublicKey(certificate, key) === 1 &&
    sign(certificate, key, sha256()) > 0
  if (!done) throw opensslError('X509')
}
