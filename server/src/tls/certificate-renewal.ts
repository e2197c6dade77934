import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { serverCertificate, type TlsSettings } from './certificate.ts'
import type { ServedCertificate } from './served-certificate.ts'

const CHECK_INTERVAL_MS = 12 * 60 * 60 * 1000

/**
 * Makes the server reload its certificate every twelve hours. The operator may have renewed it, or it may be due for
 * renewal.
 * @returns a function that ends this
 */
export function keepCertificateCurrent(
  served: ServedCertificate,
  settings: TlsSettings,
  clock: Clock,
  log: Logger,
): () => void {
  const renew = async () => {
    try {
      served.replaceFirst(await serverCertificate(settings, clock.now()))
    } catch (error) {
      log.error({ err: error }, 'the certificate could not be read again; the present one stays in use')
    }
  }
  const timer = setInterval(() => void renew(), CHECK_INTERVAL_MS).unref()
  return () => clearInterval(timer)
}
