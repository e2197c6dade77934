import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../config.ts'
import { publicHost } from '../public-host.ts'
import type { OwnAuthority } from './own-authority.ts'
import { type PlainAnswer, redirect, textAnswer } from './plain-answer.ts'
import { phoneAddress, type ReachedAt, reachedAt } from './reached-at.ts'
import { trustPage } from './trust-page/trust-page.ts'

/** Path of the authority's certificate, for download. */
export const AUTHORITY_PATH = '/parley-authority.crt'
/** Paths of answers to ACME challenges (RFC 8555, section 8.3). */
const CHALLENGES = '/.well-known/acme-challenge/'
const NO_REDIRECT = 'Only HTTPS is accepted here. Send the same request to the https:// address.'

/** What the answers depend on. */
export interface PlainHttpParts {
  config: Pick<Config, 'host' | 'publicUrl' | 'announcedIp'>
  /** TCP port of HTTPS. */
  httpsPort: number
  spaces: Parameters<typeof publicHost>[1]
  /** The authority that visitors have to trust; null when the certificate in use is of one that they trust already. */
  authority(): Promise<OwnAuthority | null>
  /** The answer to an ACME challenge; undefined when there is no such challenge. */
  challengeAnswer(token: string): string | undefined
  /** Present value of the certificate that HTTPS serves. */
  certificate(): X509Certificate
}

/**
 * Answers requests over plain HTTP: how to trust the server's own authority, or redirects to HTTPS. No answer holds
 * data of the server but that authority.
 */
export function createAnswering(parts: PlainHttpParts): (request: IncomingMessage) => Promise<PlainAnswer> {
  return async (request) => {
    const path = pathOf(request)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (path === null || !isRead || /^\/api(\/|$)/.test(path)) return textAnswer(400, NO_REDIRECT)
    if (path.startsWith(CHALLENGES)) {
      const answer = parts.challengeAnswer(path.slice(CHALLENGES.length))
      return answer === undefined ? textAnswer(404, 'There is no such challenge.') : challenge(answer)
    }
    const reached = reachedAt(request)
    const authority = await parts.authority()
    if (authority === null) return redirect(`${httpsOrigin(parts, reached)}${request.url}`)
    if (path === AUTHORITY_PATH) return download(authority)
    // Not a page: what browsers ask for by themselves, such as /favicon.ico.
    if (/\.\w+$/.test(path)) return textAnswer(404, 'There is no such file.')
    return page(parts, reached, authority, request)
  }
}

/** @returns null when the target is not a path, as in requests to a proxy */
function pathOf({ url = '' }: IncomingMessage): string | null {
  return url.startsWith('/') ? (url.split('?', 1)[0] ?? null) : null
}

/** The origin of HTTPS as this visitor reaches it. */
function httpsOrigin({ config, httpsPort, spaces }: PlainHttpParts, reached: ReachedAt): string {
  // Behind a forwarded port 80, HTTPS is most likely at 443.
  const port = reached.isForwarded && reached.port === 80 ? 443 : httpsPort
  const host = `${reached.hostInUrl}${port === 443 ? '' : `:${port}`}`
  return `https://${publicHost(config.publicUrl, spaces, { host, localPort: httpsPort })}`
}

function challenge(body: string): PlainAnswer {
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body }
}

function download({ pem }: OwnAuthority): PlainAnswer {
  const headers = {
    // Phones open their dialogue for certificates at this type.
    'content-type': 'application/x-x509-ca-cert',
    'content-disposition': `attachment; filename="${AUTHORITY_PATH.slice(1)}"`,
  }
  return { status: 200, headers, body: pem }
}

function page(
  parts: PlainHttpParts,
  reached: ReachedAt,
  authority: OwnAuthority,
  { headers, url }: IncomingMessage,
): PlainAnswer {
  return trustPage({
    authority,
    authorityPath: AUTHORITY_PATH,
    httpsUrl: `${httpsOrigin(parts, reached)}${url}`,
    phoneUrl: phoneAddress(parts.config, reached),
    certificate: parts.certificate(),
    userAgent: headers['user-agent'] ?? '',
  })
}
