import type { IncomingMessage, ServerResponse } from 'node:http'

/** An answer on the port for plain HTTP. */
export interface PlainAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

/** Headers of every answer. Nothing here may be kept: it may be another page by the next start. */
const HEADERS = {
  'cache-control': 'no-store',
  connection: 'close',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** Policy of answers that are no page. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'"

/** @param text one line for a person */
export function textAnswer(status: number, text: string): PlainAnswer {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-security-policy': NOTHING }
  return { status, headers, body: `${text}\n` }
}

/** @param location absolute URL */
export function redirect(location: string): PlainAnswer {
  const answer = textAnswer(307, `This is at ${location}`)
  return { ...answer, headers: { ...answer.headers, location } }
}

/** Sends an answer, and closes the connection after it. */
export function send(request: IncomingMessage, response: ServerResponse, answer: PlainAnswer): void {
  const body = Buffer.from(answer.body)
  response.writeHead(answer.status, { ...HEADERS, ...answer.headers, 'content-length': body.length })
  response.end(request.method === 'HEAD' ? undefined : body)
}
