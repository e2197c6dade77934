import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Access } from '../harness/rest.ts'
import { faultOf, type Operation } from './api-document.ts'
import type { Coverage } from './coverage.ts'

/** A request to one operation. */
export interface Call {
  /** Values of the parameters in the path; a text stands for each of them as it is. */
  path?: Record<string, string> | string
  query?: Record<string, string> | string
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, in place of `body`. */
  rawBody?: string | Buffer
  headers?: Record<string, string>
  /** Value of the `Authorization` header; null for none. */
  authorization: string | null
  /** A 429 is what is looked for; else it is waited until it is over. */
  mayBeRefused?: boolean
}

export interface CallAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape, and the document has checked them
  json: any
}

/** `Authorization` of an API token. */
export const basic = (projectId: string, apiToken: string) =>
  `Basic ${Buffer.from(`${projectId}:${apiToken}`).toString('base64')}`

/** Sends requests to a deployment and holds every answer against the API document. */
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

  /**
   * @throws where the answer is not as the document says
   */
  async call(operation: Operation, call: Call): Promise<CallAnswer> {
    let answer = await this.send(operation, call)
    while (answer.status === 429 && !call.mayBeRefused) {
      await delay(Number(answer.headers['retry-after']) * 1000)
      answer = await this.send(operation, call)
    }
    const contentType = answer.headers['content-type'] as string | undefined
    const fault = faultOf(operation, { status: answer.status, contentType, text: answer.text })
    if (fault !== undefined) {
      throw new Error(
        `${operation.id} ${JSON.stringify(call).slice(0, 600)} -> ${answer.status} ${answer.text.slice(0, 600)}: ${fault}`,
      )
    }
    this.#coverage?.note(operation, answer.status)
    return answer
  }

  /** One request, whatever its answer. */
  async send(operation: Operation, call: Call): Promise<CallAnswer> {
    return this.fetch(operation.method, pathOf(operation, call), call)
  }

  /** A request to any path of the deployment. */
  async fetch(method: string, path: string, call: Call): Promise<CallAnswer> {
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
    return { status: answer.statusCode, headers: answer.headers, text, json: parse(text) }
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
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
