import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { bears } from '../../tls/own-certificates.ts'
import { type Examination, type Finding, failed, ok, type Patient, warning } from './finding.ts'
import { spacesInUse } from './spaces-in-use.ts'

const SUBJECT = 'Certificate'
const DAY_MS = 24 * 60 * 60 * 1000
/** In days. The server renews its own certificates a month before their end. */
const NEAR_END_DAYS = 14

/**
 * Examines the certificate that the server has or will have, apart from those by ACME: whether it is valid now, has its key, and covers the
 * server's names.
 */
export const certificate: Examination = {
  subject: SUBJECT,
  async examine({ config, clock }: Patient) {
    const files = certificateFiles(config)
    const pem = await readFile(files.cert, 'utf8').catch(() => undefined)
    if (pem === undefined) {
      if (config.tlsCert === null) return [ok(SUBJECT, 'made by the server at its first start')]
      return [failed(SUBJECT, `cannot read ${files.cert}`, 'Correct PARLEY_TLS_CERT.')]
    }
    const parsed = new X509Certificate(pem)
    const findings = [
      validity(parsed, clock.now(), config),
      await key(parsed, files.key),
      names(parsed, config, await spacesInUse(config)),
    ]
    if (config.tlsCert !== null) findings.push(chain(parsed, pem))
    return findings
  },
}

/** Paths of certificate and key. */
export function certificateFiles(config: Pick<Config, 'dataDir' | 'tlsCert' | 'tlsKey'>) {
  const own = (name: string) => join(config.dataDir, 'tls', name)
  return { cert: config.tlsCert ?? own('server.pem'), key: config.tlsKey ?? own('server-key.pem') }
}

function validity(parsed: X509Certificate, now: number, { tlsCert }: Config): Finding {
  const renewal = tlsCert === null ? 'The server makes a new one when it starts.' : 'Renew it.'
  if (parsed.validFromDate.getTime() > now) {
    return failed(
      SUBJECT,
      `is valid only from ${parsed.validFrom}`,
      'See whether the clock of this machine is right.',
    )
  }
  const days = Math.floor((parsed.validToDate.getTime() - now) / DAY_MS)
  if (days < 0) return failed(SUBJECT, `has expired on ${parsed.validTo}`, renewal)
  const detail = `valid for ${days} more days`
  return days < NEAR_END_DAYS ? warning(SUBJECT, detail, renewal) : ok(SUBJECT, detail)
}

async function key(parsed: X509Certificate, file: string): Promise<Finding> {
  const subject = 'Its key'
  try {
    if (!parsed.checkPrivateKey(createPrivateKey(await readFile(file)))) {
      return failed(subject, `${file} is of another certificate`, 'Name the two that belong together.')
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return failed(
      subject,
      `${file} cannot be used: ${reason}`,
      'It must be a private key in PEM, without a password.',
    )
  }
  if (((await stat(file)).mode & 0o077) === 0)
    return ok(subject, 'belongs to it, readable to its owner alone')
  return warning(subject, `${file} is open to others than its owner`, `chmod 600 ${file}`)
}

function names(parsed: X509Certificate, config: Config, spaces: readonly string[]): Finding {
  const { publicUrl, serviceDomain, tlsCert } = config
  const subject = 'Its names'
  const has = parsed.subjectAltName ?? 'none'
  if (publicUrl === null && serviceDomain === null) {
    if (tlsCert === null) return ok(subject, has)
    return warning(subject, has, 'Set PARLEY_PUBLIC_URL to the name that clients use.')
  }
  const wanted = [...namesOfServer(config), ...spaces.map((space) => `${space}.${serviceDomain}`)]
  const absent = wanted.filter((name) => !bears(parsed, name))
  if (absent.length === 0) return ok(subject, wanted.length > 0 ? `has ${wanted.join(', ')}` : has)
  const advice =
    tlsCert === null
      ? 'The server makes a new one when it starts.'
      : 'Get one for the host of PARLEY_PUBLIC_URL and those of all spaces.'
  return failed(subject, `lacks ${absent.join(', ')}; has ${has}`, advice)
}

/**
 * Names that the certificate must cover. An operator's own certificate may list the spaces one by one, so it needs no
 * wildcard.
 */
function namesOfServer({ publicUrl, serviceDomain, announcedIp, tlsCert }: Config): string[] {
  const host = publicUrl === null ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')]
  if (tlsCert !== null) return host
  const spaces = serviceDomain === null ? [] : [`*.${serviceDomain}`]
  return [...host, ...spaces, ...(announcedIp === null ? [] : [announcedIp])]
}

function chain(parsed: X509Certificate, pem: string): Finding {
  const count = pem.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0
  const isSelfSigned = parsed.checkIssued(parsed)
  if (isSelfSigned) {
    return warning('Its chain', 'is signed by itself', 'Clients must be told to trust it.')
  }
  if (count > 1) return ok('Its chain', `${count} certificates`)
  return warning(
    'Its chain',
    'has no certificate of its issuer',
    'Most authorities have intermediate ones: PARLEY_TLS_CERT should name the full chain.',
  )
}
