import { Agent, request } from 'undici'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import type { Access } from '../testing/rest.ts'
import { faultOf, faultOfStray, type Operation, operationAt } from './api-document.ts'
import type { Coverage } from './coverage.ts'

/** A request to one operation. */
export interface Call {
  /** Values of the parameters in the path. A string is used for each of them as it is. */
  path?: Record<string, string> | string
  query?: Record<string, string> | string
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, instead of `body`. */
  rawBody?: string | Buffer
  headers?: Record<string, string>
  /** Value of the `Authorization` header; null for none. */
  authorization: string | null
  /** Whether the test expects a 429. If not, the caller waits until the limit is over. */
  mayBeRefused?: boolean
}

export interface CallAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  contentType: string | undefined
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape, and the document has checked them
  json: any
}

/** The value of `Authorization` for an API token. */
export const basic = (projectId: string, apiToken: string) =>
  `Basic ${Buffer.from(`${projectId}:${apiToken}`).toString('base64')}`

/** Sends requests to a deployment and checks every answer against the API document. */
export class Caller {
  readonly #agent: Agent
  readonly #baseUrl: string
  readonly #coverage: Coverage | null

  constructor({ baseUrl, ca }: Access, coverage: Coverage | null = null) {
    this.#baseUrl = baseUrl
    this.#coverage = coverage
    this.#agent = new Agent({
      connections: 64,
      connect: ca === undefined ? {} : { ca },
      headersTimeout: 30_000,
      bodyTimeout: 30_000,
    })
  }

  /** @throws if the answer does not match the document */
  async call(operation: Operation, call: Call): Promise<CallAnswer> {
    const answer = await this.#untilAllowed(operation.method, pathOf(operation, call), call)
    check(`${operation.id} ${JSON.stringify(call)}`, answer, faultOf(operation, answer))
    this.#coverage?.note(operation, answer.status)
    return answer
  }

  /**
   * Sends a request to any path of the deployment, such as a link in an answer.
   * @throws if the answer does not match the document: the operation at that path, or the rules for other paths
   */
  async fetch(method: string, path: string, call: Call): Promise<CallAnswer> {
    const answer = await this.#untilAllowed(method, path, call)
    const operation = operationAt(method, path)
    const fault = operation ? faultOf(operation, answer) : faultOfStray(method, path, answer)
    check(`${method} ${path} ${JSON.stringify(call)}`, answer, fault)
    return answer
  }

  /** Sends one request and returns any answer. */
  async send(operation: Operation, call: Call): Promise<CallAnswer> {
    return this.#request(operation.method, pathOf(operation, call), call)
  }

  async #untilAllowed(method: string, path: string, call: Call): Promise<CallAnswer> {
    let answer = await this.#request(method, path, call)
    while (answer.status === 429 && !call.mayBeRefused) {
      await timePasses(Number(answer.headers['retry-after']) * 1000, 'the server said when to come back')
      answer = await this.#request(method, path, call)
    }
    return answer
  }

  async #request(method: string, path: string, call: Call): Promise<CallAnswer> {
    const hasBody = call.rawBody !== undefined || call.body !== undefined
    const answer = await request(`${this.#baseUrl}${path}`, {
      method: method as 'GET',
      dispatcher: this.#agent,
      headers: {
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(call.authorization !== null && { authorization: call.authorization }),
        ...call.headers,
      },
      body: call.rawBody ?? (call.body === undefined ? null : JSON.stringify(call.body)),
    })
    const text = await answer.body.text()
    const { statusCode: status, headers } = answer
    return {
      status,
      headers,
      contentType: headers['content-type'] as string | undefined,
      text,
      json: parse(text),
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}

function check(asked: string, { status, text }: CallAnswer, fault: string | undefined): void {
  if (fault === undefined) return
  throw new Error(`${asked.slice(0, 600)} -> ${status} ${text.slice(0, 600)}: ${fault}`)
}

function pathOf({ path }: Operation, call: Call): string {
  const values = call.path ?? {}
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    typeof values === 'string' ? values : encodeURIComponent(values[name] ?? ''),
  )
  const query = typeof call.query === 'string' ? call.query : new URLSearchParams(call.query).toString()
  return query === '' ? filled : `${filled}?${query}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
