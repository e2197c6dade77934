import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { OperatorError } from '../errors/operator-error.ts'
import type { KeyedCertificate } from './authority.ts'
import { machineNames, ownCertificate } from './own-certificates.ts'

/** Thrown when the configured certificate cannot be used. The message says why. */
export class UnusableCertificate extends OperatorError {
  override readonly name = 'UnusableCertificate'
}

export type TlsSettings = Pick<
  Config,
  'dataDir' | 'host' | 'publicUrl' | 'serviceDomain' | 'announcedIp' | 'tlsCert' | 'tlsKey'
>

/**
 * Returns the certificate to serve with: the operator's from its files, or one of the server's own authority. Repeated
 * calls pick up renewed certificates.
 * @param now Unix milliseconds
 * @throws UnusableCertificate
 */
export async function serverCertificate(settings: TlsSettings, now: number): Promise<KeyedCertificate> {
  const { tlsCert, tlsKey } = settings
  if (tlsCert !== null && tlsKey !== null) return configuredCertificate(tlsCert, tlsKey)
  const configured = [settings.host, settings.announcedIp ?? '']
  // A literal IPv6 address stands in brackets in a URL.
  if (settings.publicUrl) configured.push(new URL(settings.publicUrl).hostname.replace(/^\[|\]$/g, ''))
  // The asterisk stands for one label (RFC 9525, section 6.3), and a space is one label.
  if (settings.serviceDomain) configured.push(settings.serviceDomain, `*.${settings.serviceDomain}`)
  return ownCertificate(settings.dataDir, machineNames(configured), now)
}

async function configuredCertificate(certFile: string, keyFile: string): Promise<KeyedCertificate> {
  const cert = await readPem(certFile, 'PARLEY_TLS_CERT')
  const key = await readPem(keyFile, 'PARLEY_TLS_KEY')
  let belong: boolean
  try {
    belong = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UnusableCertificate(
      `PARLEY_TLS_CERT or PARLEY_TLS_KEY is not a PEM file that can be read (${reason})`,
      { cause: error },
    )
  }
  if (!belong) throw new UnusableCertificate('PARLEY_TLS_KEY is not the key of PARLEY_TLS_CERT')
  return { cert, key }
}

async function readPem(file: string, variable: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UnusableCertificate(`${variable}: cannot read ${file} (${code})`, { cause: error })
  }
}
