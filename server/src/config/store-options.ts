import { readFileSync } from 'node:fs'
import { absent, BadValue, literal, type Option, option, secret } from './option.ts'
import { flag, line } from './texts.ts'

function endpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    throw new BadValue('a URL such as https://s3.example.org:9000')
  return url.href.replace(/\/$/, '')
}

function bucket(text: string): string {
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text))
    throw new BadValue('the name of a bucket: 3 to 63 small letters, digits, dots and hyphens')
  return text
}

function prefix(text: string): string {
  if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(text))
    throw new BadValue(
      'letters, digits, dots, hyphens and underscores, in parts that are separated by slashes',
    )
  return text.endsWith('/') ? text : `${text}/`
}

/** @returns the certificates in the file, PEM */
function certificates(file: string): string {
  try {
    const pem = readFileSync(file, 'utf8')
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem
  } catch {
    // Told like a file of another kind.
  }
  throw new BadValue('a readable file with certificates (PEM)')
}

/** The store of objects that recordings are kept in. Without a bucket there is none. */
export const storeOptions = {
  s3Bucket: option(
    'PARLEY_S3_BUCKET',
    'name',
    absent('(none: recordings stay on the disk)'),
    'Bucket of an S3 store that recordings are kept in. It must exist.',
    bucket,
  ) as Option<string | null>,
  s3Endpoint: option(
    'PARLEY_S3_ENDPOINT',
    'URL',
    absent('(that of Amazon for the region)'),
    'Address of the S3 store.',
    endpoint,
  ) as Option<string | null>,
  s3Region: option(
    'PARLEY_S3_REGION',
    'name',
    literal('us-east-1', 'us-east-1'),
    'Region of the S3 store. Most stores other than that of Amazon take any.',
    line,
  ),
  s3Prefix: option(
    'PARLEY_S3_PREFIX',
    'path',
    literal('(none)', ''),
    'How all names of objects begin, such as parley/. Installations that share a bucket need one each.',
    prefix,
  ),
  s3AccessKey: option(
    'PARLEY_S3_ACCESS_KEY',
    'text',
    absent('(none)'),
    'Access key of the S3 store.',
    line,
  ) as Option<string | null>,
  s3SecretKey: secret(
    option('PARLEY_S3_SECRET_KEY', 'secret', absent('(none)'), 'Secret of that access key.', line) as Option<
      string | null
    >,
  ),
  s3PathStyle: option(
    'PARLEY_S3_PATH_STYLE',
    '1 or 0',
    absent('(1 with PARLEY_S3_ENDPOINT, else 0)'),
    'Whether the bucket is in the path of addresses (1) or in the host name (0).',
    flag,
  ) as Option<boolean | null>,
  s3Ca: option(
    'PARLEY_S3_CA',
    'file',
    absent('(the usual authorities)'),
    'Certificates of the authority that the certificate of the S3 store comes from, PEM.',
    certificates,
  ) as Option<string | null>,
  s3PublicEndpoint: option(
    'PARLEY_S3_PUBLIC_ENDPOINT',
    'URL',
    absent('(none: the server serves recordings itself)'),
    'Address at which browsers reach the S3 store. Links to recordings then lead to it, signed for five minutes.',
    endpoint,
  ) as Option<string | null>,
}
