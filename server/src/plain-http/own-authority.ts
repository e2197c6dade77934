import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { authorityFile, authorityName } from '../tls/own-certificates.ts'

/** The public part of the server's own authority. */
export interface OwnAuthority {
  pem: string
  /** Its common name. */
  name: string
  /** SHA-256 in hexadecimal, with colons. */
  fingerprint: string
}

/** Reads the authority. It is read anew each time, because the server replaces it before it ends. */
export async function readOwnAuthority(dataDir: string): Promise<OwnAuthority> {
  const certificate = new X509Certificate(await readFile(authorityFile(dataDir)))
  const name = authorityName(certificate)
  return { pem: certificate.toString(), name, fingerprint: certificate.fingerprint256 }
}
