import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { type AddressJudge, WEB_PROTOCOLS } from './address-judge.ts'

const MOST_REDIRECTS = 5
/** How long a server may take until the header of its answer is here, in milliseconds. */
const ANSWER_TIMEOUT_MS = 8000

export interface WebRequestOptions {
  judge: AddressJudge
  /** Ends the request, and the reading of its answer. */
  signal: AbortSignal
  /** The first byte that is wanted; the whole without it. */
  from?: number
  /** The last byte that is wanted, with `from`. */
  to?: number
}

/** An answer of a web server whose body has not been read. */
export interface WebAnswer {
  /** Where redirects led to. */
  url: string
  status: number
  headers: IncomingMessage['headers']
  body: IncomingMessage
}

/**
 * Gets a URL over HTTP. It connects to nothing but what the judge says, also after redirects.
 * @throws Error when it may not be opened, does not answer in time, or answers with an error
 */
export async function requestWeb(url: string, options: WebRequestOptions): Promise<WebAnswer> {
  let at = url
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const body = await requestOnce(at, options)
    const status = body.statusCode ?? 0
    if (status === 200 || status === 206) return { url: at, status, headers: body.headers, body }
    body.destroy()
    const { location } = body.headers
    if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, at))
      throw new Error(`the server answered with ${status}`)
    at = new URL(location, at).href
  }
  throw new Error('too many redirects')
}

async function requestOnce(
  url: string,
  { judge, signal, from, to }: WebRequestOptions,
): Promise<IncomingMessage> {
  const target = await judge(url, WEB_PROTOCOLS)
  signal.throwIfAborted()
  const { pathname, search, username, password, host } = new URL(url)
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const options = {
    host: target.address,
    port: target.port,
    path: pathname + search,
    // One connection for each request: it is to the address that was judged for it.
    agent: target.tls ? new HttpsAgent() : new HttpAgent(),
    headers: {
      host,
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'Parley',
      ...(from !== undefined && { range: `bytes=${from}-${to ?? ''}` }),
      ...(username !== '' && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
    // A certificate for an IP address is checked against that; only names are announced (RFC 6066, section 3).
    ...(target.tls && isIP(target.host) === 0 && { servername: target.host }),
    signal,
  }
  return new Promise((resolve, reject) => {
    const request = (target.tls ? requestHttps : requestHttp)(options)
    const deadline = setTimeout(
      () => request.destroy(new Error('the server did not answer in time')),
      ANSWER_TIMEOUT_MS,
    )
    request.on('response', (response) => {
      clearTimeout(deadline)
      // Whoever reads sees the error; nobody else needs it.
      response.on('error', () => {})
      resolve(response)
    })
    request.on('error', (error) => {
      clearTimeout(deadline)
      reject(error)
    })
    request.end()
  })
}

/** Reads a body whole. @throws Error when it is longer than `most` bytes, or does not come in time */
export async function readWhole(
  { body }: WebAnswer,
  { most, timeoutMs }: { most: number; timeoutMs: number },
): Promise<Buffer> {
  const deadline = setTimeout(() => body.destroy(new Error('the body did not come in time')), timeoutMs)
  try {
    const parts: Buffer[] = []
    let length = 0
    for await (const part of body as AsyncIterable<Buffer>) {
      length += part.length
      if (length > most) throw new Error('the body is too long')
      parts.push(part)
    }
    return Buffer.concat(parts)
  } finally {
    clearTimeout(deadline)
    body.destroy()
  }
}
