import { buildConnector, Pool } from 'undici'
import { Refusal } from '../../errors/refusal.ts'
import type { Targets } from '../../outgoing/targets.ts'

/** How long an attempt may take as a whole: to find the address, connect, send, and read the answer. */
const ATTEMPT_TIMEOUT_MS = 15_000
const CONNECT_TIMEOUT_MS = 10_000
/** How much of an answer is kept in the log, in bytes. */
const KEPT_BYTES = 1024
/** Where an answer is longer, its connection is closed. */
const READ_BYTES = 64 * 1024

/** An attempt took too long. */
class TooSlow extends Error {}

/** The answer of a receiver, or why there is none. */
export interface Answer {
  status: number | null
  /** Beginning of the body. */
  body: string
  retryAfter: string | undefined
  error: string | null
}

export interface ReceiverOptions {
  url: string
  targets: Targets
  protocols: readonly string[]
  /** Connections at once. */
  connections: number
}

/**
 * The connections to the address of one webhook. Each one leads to an address that was judged for it, so that a name
 * that changes its address cannot lead elsewhere. Redirects are not followed, since they would be judged by nobody.
 */
export class Receiver {
  readonly url: string
  readonly #path: string
  readonly #pool: Pool
  readonly #underWay = new Set<AbortController>()

  constructor({ url, targets, protocols, connections }: ReceiverOptions) {
    const { origin, pathname, search } = new URL(url)
    const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false })
    this.url = url
    this.#path = pathname + search
    this.#pool = new Pool(origin, {
      connections,
      pipelining: 1,
      headersTimeout: ATTEMPT_TIMEOUT_MS,
      bodyTimeout: ATTEMPT_TIMEOUT_MS,
      connect: (options, callback) => {
        targets.resolve(url, protocols, 'url').then(
          // The certificate is checked for the name, or for the address where the URL has no name.
          ({ address }) => connect({ ...options, hostname: address }, callback),
          (error: Error) => callback(error, null),
        )
      },
    })
  }

  /** Sends a message. Never throws. */
  async post(body: string, headers: Record<string, string>): Promise<Answer> {
    const controller = new AbortController()
    const timeout = setTimeout(() => controller.abort(new TooSlow()), ATTEMPT_TIMEOUT_MS)
    this.#underWay.add(controller)
    try {
      const { signal } = controller
      const answer = await this.#pool.request({ path: this.#path, method: 'POST', headers, body, signal })
      const text = await readBeginning(answer.body)
      const retryAfter = [answer.headers['retry-after']].flat()[0]
      return { status: answer.statusCode, body: text, retryAfter, error: null }
    } catch (error) {
      return { status: null, body: '', retryAfter: undefined, error: inWords(error) }
    } finally {
      clearTimeout(timeout)
      this.#underWay.delete(controller)
    }
  }

  /** Aborts what is under way. */
  abort(): void {
    for (const controller of this.#underWay) controller.abort()
  }

  /** Closes the connections once nothing is under way. */
  close(): void {
    void this.#pool.close()
  }
}

async function readBeginning(body: AsyncIterable<Buffer>): Promise<string> {
  const kept: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    if (bytes < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - bytes))
    bytes += chunk.length
    if (bytes > READ_BYTES) break
  }
  // NUL cannot be stored in every database.
  return Buffer.concat(kept).toString('utf8').replaceAll('\0', '\ufffd')
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was reset.',
  EPIPE: 'The connection was closed.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  ETIMEDOUT: 'The host does not answer.',
  UND_ERR_SOCKET: 'The connection was closed before the answer was complete.',
  UND_ERR_CONNECT_TIMEOUT: 'The host does not answer.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate is by an authority that is not trusted.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate is by an authority that is not trusted.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate is by an authority that is not trusted.',
}

/** Why an attempt failed, for the customer. It tells nothing of this machine. */
function inWords(error: unknown): string {
  if (error instanceof Refusal) return error.entries[0]?.message ?? error.message
  if (!(error instanceof Error)) return 'The message could not be sent.'
  if (error instanceof TooSlow) return `There was no answer within ${ATTEMPT_TIMEOUT_MS / 1000} s.`
  const code = 'code' in error ? String(error.code) : ''
  return WORDS[code] ?? `The message could not be sent (${code || error.name}).`
}
