import { X509Certificate } from 'node:crypto'
import { acmeCertificateFile, keptCertificate, lastAttempt } from '../../acme/kept-certificates.ts'
import { acmeNames } from '../../acme/names.ts'
import type { Config } from '../../config.ts'
import { plainHttpPort } from '../../config.ts'
import { type Examination, type Finding, failed, ok, type Patient, warning } from './finding.ts'
import { spacesInUse } from './spaces-in-use.ts'

const SUBJECT = 'ACME'

/** Examines what the server has got by ACME: a certificate for each name, or the reason why it has none. */
export const acme: Examination = {
  subject: SUBJECT,
  async examine({ config, clock }: Patient) {
    if (config.acmeEmail === null) return []
    const names = acmeNames(config, await spacesInUse(config))
    return [ports(config), ...(await Promise.all(names.map((name) => ofName(name, config, clock.now()))))]
  },
}

/** Authorities come to ports 80 and 443 only. */
function ports(config: Config): Finding {
  const http = plainHttpPort(config)
  if (http === 80 || config.port === 443)
    return ok(SUBJECT, `${new URL(config.acmeDirectoryUrl).host} checks names here`)
  const forwarded = `80${http === 0 ? '' : ` to ${http} (PARLEY_HTTP_PORT)`}, or 443 to ${config.port} (PARLEY_PORT)`
  return warning(
    SUBJECT,
    'public authorities come to port 80 or 443, and the server has neither',
    http === 0 ? `Forward 443 to ${config.port} (PARLEY_PORT).` : `Forward one of them: ${forwarded}.`,
  )
}

async function ofName(name: string, config: Config, now: number): Promise<Finding> {
  const subject = `ACME ${name}`
  const last = await lastAttempt(config.dataDir, name)
  const isOfDirectory = last?.directoryUrl === config.acmeDirectoryUrl
  const pair = isOfDirectory ? await keptCertificate(config.dataDir, name, now) : undefined
  const problem = isOfDirectory ? (last?.problem ?? null) : null
  const next = last?.nextTryAt ? ` Next attempt: ${new Date(last.nextTryAt).toISOString()}.` : ''
  if (pair) {
    const until = `has a certificate until ${new X509Certificate(pair.cert).validTo}`
    return problem === null
      ? ok(subject, until)
      : warning(subject, `${until}; renewal failed`, `${problem}${next}`)
  }
  if (problem !== null) return failed(subject, 'has no certificate', `${problem}${next}`)
  return warning(subject, 'has no certificate yet', 'The server asks for one when it runs; see its log.')
}

/** File with the certificate that the server got for its own name; undefined when it has none. */
export async function issuedCertificateFile(config: Config, now: number): Promise<string | undefined> {
  const [name] = config.acmeEmail === null ? [] : acmeNames(config, [])
  if (name === undefined) return undefined
  const last = await lastAttempt(config.dataDir, name)
  if (last?.directoryUrl !== config.acmeDirectoryUrl) return undefined
  const pair = await keptCertificate(config.dataDir, name, now)
  return pair && acmeCertificateFile(config.dataDir, name)
}
