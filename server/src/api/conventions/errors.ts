import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { ErrorCode } from '../../errors/catalogue.ts'
import { type ErrorEntry, type ErrorKind, ParleyError } from '../../errors/parley-error.ts'
import { newId } from '../../ids.ts'
import { ERROR_PAGE, errorBodyFor, usualBody } from './error-bodies.ts'
import { originFor, socketOrigin } from './public-origin.ts'
import { securityHeaders } from './security-headers.ts'

/** What each kind of refusal is over HTTP. */
const HTTP: Record<ErrorKind, { status: number; type: string }> = {
  malformed: { status: 400, type: 'invalid_request_error' },
  incomplete: { status: 400, type: 'validation_error' },
  unauthenticated: { status: 401, type: 'authentication_error' },
  forbidden: { status: 403, type: 'authorization_error' },
  not_found: { status: 404, type: 'not_found_error' },
  invalid: { status: 422, type: 'validation_error' },
  rate_limited: { status: 429, type: 'rate_limit_error' },
  internal: { status: 500, type: 'internal_error' },
  unavailable: { status: 503, type: 'internal_error' },
}

/** The `type` of an entry, by the status of the answer that it stands in. */
export function errorType(status: number, code: ErrorCode): string {
  if (code === 'missing_required_parameter') return HTTP.incomplete.type
  return Object.values(HTTP).find((kind) => kind.status === status)?.type ?? HTTP.internal.type
}

export { ERROR_PAGE }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Status for a required field that is absent, where the operation does not list 400. */
    incompleteStatus?: 422
    /** Value of `WWW-Authenticate` when credentials are missing or wrong. */
    challenge?: string
  }
}

/** What error answers are made with. */
export interface ErrorAnswerOptions {
  /** Where clients reach this server, as configured; null where that is as they say themselves. */
  publicUrl: string | null
  /** Whether the database or the disk may take later what it refused now. */
  isPassingFailure: (error: unknown) => boolean
}

/** Makes every answer that is not a success, from whatever layer, carry the same body. */
export function useErrorAnswers(app: FastifyInstance, options: ErrorAnswerOptions): void {
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, options))
  app.setNotFoundHandler((request, reply) => answerError(noSuchRoute(), request, reply, options))
}

/** The answer where no route has this method and path: 404 `does_not_exist`. */
export const noSuchRoute = () => new ParleyError('not_found', { code: 'does_not_exist' })

/** Of the static files: the file does not reach that far. Its length is in `Content-Range` (RFC 9110, section 15.5.17). */
const RANGE_NOT_SATISFIABLE = 416

/** Answers one request with an error. What is no {@link ParleyError} is logged, and nothing of it is told. */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { publicUrl, isPassingFailure }: ErrorAnswerOptions,
): FastifyReply {
  const { config, url: route = '' } = request.routeOptions
  // What the static files say of odd paths: no route but theirs, which is for all, has such a path.
  const isOdd = route.endsWith('*') && isRefusedPath(error)
  const refusal = withPagingFault(isOdd ? noSuchRoute() : asRefusal(error, isPassingFailure), request)
  const { type } = HTTP[refusal.kind]
  let { status } = HTTP[refusal.kind]
  if (refusal.kind === 'incomplete') status = config?.incompleteStatus ?? status
  const fileError = error as (FastifyError & { headers?: Record<string, string> }) | undefined
  if (fileError?.statusCode === RANGE_NOT_SATISFIABLE) {
    status = RANGE_NOT_SATISFIABLE
    reply.headers(fileError.headers ?? {})
  }
  if (refusal.kind === 'internal') request.log.error({ err: error }, 'request failed')
  if (refusal.kind === 'unavailable') {
    request.log.warn({ err: error }, 'request refused: the database or the disk cannot be used now')
    reply.header('retry-after', RETRY_AFTER_SECONDS)
  }
  if (refusal.kind === 'unauthenticated') {
    reply.header('www-authenticate', config?.challenge ?? 'Basic realm="Parley", charset="UTF-8"')
  }
  // Not the route's serializer: the body is the same whether or not the route lists the status.
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(errorBodyFor(request.url, { error: refusal, status, type, origin: originFor(publicUrl, request) }))
}

/** A database that is restarted is back by then. */
const RETRY_AFTER_SECONDS = 5

function isRefusedPath(error: unknown): boolean {
  const { statusCode } = (error ?? {}) as Partial<FastifyError>
  return !(error instanceof ParleyError) && (statusCode === 400 || statusCode === 403)
}

/** Errors of the framework, in the words of the catalogue. */
const FRAMEWORK: Readonly<Record<string, { kind: ErrorKind; entry: ErrorEntry }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { kind: 'malformed', entry: { code: 'character_limit_exceeded' } },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { kind: 'malformed', entry: { code: 'invalid_content_type' } },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { kind: 'malformed', entry: { code: 'not_a_valid_json' } },
  FST_ERR_CTP_EMPTY_JSON_BODY: { kind: 'malformed', entry: { code: 'not_a_valid_json' } },
  FST_ERR_CTP_INVALID_JSON_BODY: { kind: 'malformed', entry: { code: 'not_a_valid_json' } },
  FST_ERR_BAD_URL: {
    kind: 'malformed',
    entry: { code: 'invalid_parameter', message: 'The path is not a valid URL: check its percent signs.' },
  },
}

function asRefusal(error: unknown, isPassingFailure: ErrorAnswerOptions['isPassingFailure']): ParleyError {
  if (error instanceof ParleyError) return error
  if (isPassingFailure(error)) return unavailable(error)
  const { code = '', statusCode = 500 } = (error ?? {}) as Partial<FastifyError>
  const known = Object.hasOwn(FRAMEWORK, code) ? FRAMEWORK[code] : undefined
  if (known) return new ParleyError(known.kind, known.entry, { cause: error })
  if (statusCode === 404) return noSuchRoute()
  if (statusCode >= 400 && statusCode < 500)
    return new ParleyError('malformed', { code: 'invalid_parameter' })
  return new ParleyError('internal', { code: 'internal_error_occurred' }, { cause: error })
}

function unavailable(cause: unknown): ParleyError {
  const message = 'The server cannot use its database or its disk now. Try again in a few seconds.'
  return new ParleyError('unavailable', { code: 'internal_error_occurred', message }, { cause })
}

/** Paging is checked apart from the rest of the query, but told together with it. */
function withPagingFault(refusal: ParleyError, { pagingFault }: FastifyRequest): ParleyError {
  if (!pagingFault || refusal.kind !== 'invalid') return refusal
  if (refusal.entries.some((entry) => entry.attribute === pagingFault.attribute)) return refusal
  return new ParleyError(refusal.kind, [...refusal.entries, pagingFault])
}

/** What the parser of HTTP could not read, in the words of the catalogue. */
const PARSER: Readonly<Record<string, ErrorEntry>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'header_value_too_long',
    message: 'The address and the headers together are longer than is accepted.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { code: 'character_limit_exceeded' },
  ERR_HTTP_NO_HOST: { code: 'cannot_process', message: 'The request must have one `Host` header.' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'cannot_process', message: 'The request took too long to arrive.' },
}
const UNREADABLE: ErrorEntry = {
  code: 'cannot_process',
  message: 'This is not an HTTP request that can be read.',
}

/**
 * Answers a connection on which something came that is no request, and closes it.
 * @param error of Node's HTTP parser
 */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Socket,
  publicUrl: string | null,
  log: Logger,
): void {
  // More of the same may follow while the answer is on its way.
  if (socket.writableEnded) return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { _httpMessage: pending } = socket as Socket & { _httpMessage?: ServerResponse | null }
  // Behind a request that came whole: that one gets its own answer first.
  if (pending?.req.complete) {
    socket.pause()
    pending.once('close', () => {
      answerUnreadable(error, socket, publicUrl, log)
      socket.resume()
    })
    return
  }
  // Behind an answer that is under way this one would be taken for part of it.
  if (pending?.headersSent) {
    socket.destroy()
    return
  }
  const refusal = new ParleyError('malformed', PARSER[error.code ?? ''] ?? UNREADABLE)
  // Its own id, if it has one, cannot be read.
  const id = newId()
  log.debug({ reqId: id, code: error.code }, 'unreadable request')
  // Closed at once, the connection would be reset, and the answer lost, by what the client still sends.
  socket.end(rawAnswer(refusal, socketOrigin(publicUrl, socket), id), () => {
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  })
}

const LINGER_MS = 1000

/**
 * An error as the bytes of a whole HTTP/1.1 answer, for connections that no framework takes care of.
 * @param id under which the logs have the request
 */
export function rawAnswer(error: ParleyError, origin: string, id: string): string {
  const { status, type } = HTTP[error.kind]
  const body = JSON.stringify(usualBody({ error, status, type, origin }))
  const reason: Record<number, string> = { 400: 'Bad Request', 401: 'Unauthorized', 404: 'Not Found' }
  return [
    `HTTP/1.1 ${status} ${reason[status] ?? 'Error'}`,
    `x-request-id: ${id}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(securityHeaders(origin.replace(/^https:\/\//, ''))).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    'connection: close',
    '',
    body,
  ].join('\r\n')
}
