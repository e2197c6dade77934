import { readFile } from 'node:fs/promises'
import { Agent } from 'node:https'
import { rootCertificates } from 'node:tls'
import type { Client } from 'acme-client'
import type { Config } from '../config.ts'
import { OperatorError } from '../errors/operator-error.ts'
import { accountKey } from './kept-certificates.ts'
import { AcmeProblem, problemOf } from './problem.ts'

/** How long an answer of the ACME server may take, in milliseconds. */
const ANSWER_TIMEOUT_MS = 30_000
/** A certificate chain has a few kilobytes. */
const ANSWER_MAX_BYTES = 1_000_000
/** Number of answers after which an attempt is given up: some wrong ones lead the library in circles. */
const MOST_ANSWERS = 300

type Settings = Pick<Config, 'dataDir' | 'acmeDirectoryUrl' | 'acmeCa' | 'acmeEmail'>
type Library = typeof import('acme-client')

/**
 * Opens the account at the ACME server, and makes it at the first time. The library is loaded only here: servers
 * without ACME do without it.
 * @param signal ends this request and all others of the client
 * @throws AcmeProblem, or an error of the network
 */
export async function openAccount(
  settings: Settings,
  signal: AbortSignal,
): Promise<{ client: Client; library: Library }> {
  const library = await import('acme-client')
  configure(library, await trustedAuthorities(settings), signal)
  const { dataDir, acmeDirectoryUrl, acmeEmail } = settings
  const client = new library.Client({ directoryUrl: acmeDirectoryUrl, accountKey: await accountKey(dataDir) })
  await client.createAccount({ termsOfServiceAgreed: true, contact: [`mailto:${acmeEmail}`] })
  return { client, library }
}

async function trustedAuthorities({ acmeCa }: Settings): Promise<string[] | undefined> {
  if (acmeCa === null) return undefined
  try {
    return [...rootCertificates, await readFile(acmeCa, 'utf8')]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(`PARLEY_ACME_CA: cannot read ${acmeCa} (${code})`, { cause: error })
  }
}

/**
 * Sets limits for the answers of the ACME server, and turns its errors into problems. The library itself would repeat
 * failed requests, for as long as the server says; attempts are made by {@link keepAcmeCertificates} alone.
 */
function configure({ axios }: Library, ca: string[] | undefined, signal: AbortSignal): void {
  let answers = 0
  axios.defaults.signal = signal
  axios.defaults.timeout = ANSWER_TIMEOUT_MS
  axios.defaults.maxContentLength = ANSWER_MAX_BYTES
  axios.defaults.maxRedirects = 0
  axios.defaults.httpsAgent = new Agent({ keepAlive: true, ...(ca !== undefined && { ca }) })
  axios.defaults.headers.common['User-Agent'] = 'Parley'
  axios.interceptors.response.clear()
  axios.interceptors.response.use(null, (error: unknown) => {
    const { response } = error as { response?: Answer }
    if (!response) throw error
    if (++answers > MOST_ANSWERS) throw new AcmeProblem('the authority answers, but never comes to an end')
    const { status, data, headers } = response
    // The library repeats a request whose nonce is not good, a few times (RFC 8555, section 6.5).
    const isBadNonce = status === 400 && /:badNonce$/.test(String(data?.type))
    if ((status >= 200 && status < 300) || isBadNonce) return response
    throw problemOf(data, `the authority answered with ${status}`, retryAfterMs(headers?.['retry-after']))
  })
}

interface Answer {
  status: number
  data?: { type?: unknown } | null
  headers?: Readonly<Record<string, unknown>>
}

/** @param value of the header: seconds, or a date (RFC 9110, section 10.2.3) */
function retryAfterMs(value: unknown): number {
  const text = String(value ?? '')
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? 0 : Math.max(0, date - Date.now())
}
