import { X509Certificate } from 'node:crypto'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { ServedCertificate } from '../tls/served-certificate.ts'
import type { Challenges } from './challenges.ts'
import { keepAcmeCertificates } from './keep-certificates.ts'
import { acmeNames } from './names.ts'
import type { Way } from './order.ts'

/** What ACME needs of the server. */
export interface AcmeServerParts {
  config: Config
  certificate: ServedCertificate
  challenges: Challenges
  /** The spaces in use now. */
  spaces(): Promise<readonly string[]>
  /** TCP port of plain HTTP; null when it is not served. */
  httpPort: number | null
  clock: Clock
  log: Logger
}

/**
 * Begins to keep certificates by ACME, if the operator wants it. Resolves when what an earlier run kept is served.
 * @returns a function that ends it
 */
export async function startAcme(parts: AcmeServerParts): Promise<() => void> {
  const { config, certificate, challenges, spaces, httpPort, clock, log } = parts
  if (config.acmeEmail === null) return () => {}
  const kept = keepAcmeCertificates(
    {
      config,
      challenges,
      ways: waysToProve(httpPort),
      onCertificate(name, pair) {
        certificate.issue(name, pair)
        log.info({ name, until: new X509Certificate(pair.cert).validTo }, 'serving a certificate')
      },
      clock,
      log,
    },
    async () => acmeNames(config, config.serviceDomain === null ? [] : await spaces()),
  )
  await kept.opened
  return () => kept.stop()
}

/**
 * The ways to prove names, in the order of their chances. Authorities come to ports 80 and 443 only; a port that is
 * neither may have one of them forwarded to it, which more often is 443.
 */
function waysToProve(httpPort: number | null): readonly Way[] {
  if (httpPort === null) return ['tls-alpn-01']
  return httpPort === 80 ? ['http-01', 'tls-alpn-01'] : ['tls-alpn-01', 'http-01']
}
