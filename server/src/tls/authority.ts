import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type GeneralNameType,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** A certificate and its private key, both in PEM. */
export interface KeyedCertificate {
  cert: string
  key: string
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 24 * 60 * 60 * 1000

/** Browsers refuse certificates of a private authority that live longer than 825 days. */
export const SERVER_CERTIFICATE_DAYS = 365
export const AUTHORITY_DAYS = 3650

const serialNumber = () => {
  // Positive and never empty (RFC 5280, section 4.1.2.2).
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString('hex')
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const [der] = PemConverter.decode(pem)
  if (!der) throw new Error('there is no key in the PEM text')
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign'])
}

/**
 * Creates a certificate authority for one server. It can sign certificates, but no further authorities.
 * @param now Unix milliseconds
 */
export async function makeAuthority(now: number): Promise<KeyedCertificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const serial = serialNumber()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial,
    // The number distinguishes the authorities of several servers in a browser's list.
    name: `CN=Parley authority ${serial.slice(0, 8)}, O=Parley`,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + AUTHORITY_DAYS * DAY_MS),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) }
}

/**
 * Issues a server certificate with a new key.
 * @param names host names and IP addresses, at least one
 * @param now Unix milliseconds
 */
export async function issueCertificate(
  authority: KeyedCertificate,
  names: readonly string[],
  now: number,
): Promise<KeyedCertificate> {
  const issuer = new X509Certificate(authority.cert)
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const alternatives = names.map((value) => ({
    type: (isIP(value) ? 'ip' : 'dns') as GeneralNameType,
    value,
  }))
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=Parley server, O=Parley',
    issuer: issuer.subject,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(Math.min(now + SERVER_CERTIFICATE_DAYS * DAY_MS, issuer.notAfter.getTime())),
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(alternatives),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer, false),
    ],
  })
  return { cert: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) }
}
