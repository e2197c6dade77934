import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { authorityFile, authorityName } from '../../tls/own-certificates.ts'

/** The server's own authority, as trust stores need it. */
export interface TrustedAuthority {
  /** Path of its certificate in PEM. */
  file: string
  certificate: X509Certificate
  /** Its common name, which contains a number: a store can hold the authorities of several servers. */
  name: string
}

/** @throws OperatorError when the server has made no authority yet */
export async function readAuthority({ dataDir }: Pick<Config, 'dataDir'>): Promise<TrustedAuthority> {
  const file = authorityFile(dataDir)
  let pem: string
  try {
    pem = await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new OperatorError(`Cannot read the authority: ${message}`, { cause: error })
    throw new OperatorError(
      `There is no authority in ${dataDir}. The server makes it at its first start: start it once, or name its data folder by PARLEY_DATA_DIR or --data-dir.`,
    )
  }
  const certificate = new X509Certificate(pem)
  return { file, certificate, name: authorityName(certificate) }
}

/** Whether a text in PEM is the certificate of this authority. */
export function isAuthority(pem: string, { certificate }: TrustedAuthority): boolean {
  try {
    return new X509Certificate(pem).fingerprint256 === certificate.fingerprint256
  } catch {
    return false
  }
}
