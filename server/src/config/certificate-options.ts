import { resolve } from 'node:path'
import { absent, BadValue, literal, type Option, option } from './option.ts'
import { addresses } from './texts.ts'

function emailAddress(text: string): string {
  if (!/^[^\s@<>,;:"]{1,64}@[a-z0-9.-]{1,253}$/i.test(text)) throw new BadValue('an email address')
  return text
}

/** Directory of the authority that most servers on the internet use. */
export const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'

function directoryUrl(text: string): string {
  const isUsable = URL.canParse(text) && new URL(text).protocol === 'https:'
  if (!isUsable) throw new BadValue(`an https:// URL such as ${LETS_ENCRYPT}`)
  return text
}

/** Certificates, and who may end TLS in front of the server. */
export const certificateOptions = {
  tlsCert: option(
    'PARLEY_TLS_CERT',
    'file',
    absent('(made by the server)'),
    'Certificate chain in PEM; needs PARLEY_TLS_KEY.',
    (text) => resolve(text),
  ) as Option<string | null>,
  tlsKey: option(
    'PARLEY_TLS_KEY',
    'file',
    absent('(made by the server)'),
    'Private key of PARLEY_TLS_CERT in PEM.',
    (text) => resolve(text),
  ) as Option<string | null>,
  acmeEmail: option(
    'PARLEY_ACME_EMAIL',
    'email address',
    absent('(no ACME)'),
    'Gets certificates for the host of PARLEY_PUBLIC_URL and for spaces by ACME; the authority writes here. Setting it accepts the terms of the authority.',
    emailAddress,
  ) as Option<string | null>,
  acmeDirectoryUrl: option(
    'PARLEY_ACME_DIRECTORY_URL',
    'URL',
    literal(LETS_ENCRYPT, LETS_ENCRYPT),
    'Directory of the ACME server.',
    directoryUrl,
  ),
  acmeCa: option(
    'PARLEY_ACME_CA',
    'file',
    absent('(public authorities)'),
    "Authority of the ACME server's own certificate in PEM, for a private ACME server.",
    (text) => resolve(text),
  ) as Option<string | null>,
  trustedProxies: option<readonly string[]>(
    'PARLEY_TRUSTED_PROXIES',
    'addresses',
    literal('(none)', Object.freeze([])),
    'Proxies that may end TLS in front of this server and whose X-Forwarded-* headers count.',
    addresses,
  ),
}
