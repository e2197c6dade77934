import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type PublicErrorCode, publicCode } from '../../errors/catalogue.ts'
import { KINDS } from '../../errors/kinds.ts'
import { type ErrorEntry, Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import { ERROR_PAGE, errorBodyFor, usualBody } from './error-bodies.ts'
import { originFor, socketOrigin } from './public-origin.ts'
import { securityHeaders } from './security-headers.ts'
import { isFromScriptOfPage } from './session-cookie.ts'

/** The `type` of an error entry, from the status of its answer. */
export function errorType(status: number, code: PublicErrorCode): string {
  if (code === 'missing_required_parameter') return KINDS.incomplete.type
  return Object.values(KINDS).find((kind) => kind.status === status)?.type ?? KINDS.internal.type
}

export { ERROR_PAGE }

declare module 'fastify' {
  interface FastifyRequest {
    /** Public code of the error that it was answered with; null if it was not refused. */
    errorCode: PublicErrorCode | null
  }
  interface FastifyContextConfig {
    /** Status for a required field that is absent, where the operation does not list 400. */
    incompleteStatus?: 422
    /** Value of `WWW-Authenticate` when credentials are missing or wrong. */
    challenge?: string
  }
}

/** Options for error answers. */
export interface ErrorAnswerOptions {
  /** URL where clients reach this server, as configured. Null means: take it from the request. */
  publicUrl: string | null
  /** Whether the error is temporary: the database or the disk may accept the same operation later. */
  isPassingFailure: (error: unknown) => boolean
  /** Answers a person who opened an address that nothing has. @returns null for requests of programs */
  unknownPage: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null
}

/** Gives every error answer the same body, from whichever layer the error comes. */
export function useErrorAnswers(app: FastifyInstance, options: ErrorAnswerOptions): void {
  app.decorateRequest('errorCode', null)
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, options))
  app.setNotFoundHandler(
    (request, reply) =>
      options.unknownPage(request, reply) ?? answerError(noSuchRoute(), request, reply, options),
  )
}

/** Error for a method and path that have no route: 404 `does_not_exist`. */
export const noSuchRoute = () => new Refusal('does_not_exist')

/**
 * Statuses of static files: `If-Match` names another file, and the range lies beyond the end of the file, whose length is
 * in `Content-Range` (RFC 9110, sections 15.5.13 and 15.5.17).
 */
const PRECONDITION_FAILED = 412
const RANGE_NOT_SATISFIABLE = 416

/**
 * Answers one request with an error. An error that is no {@link Refusal} is logged, and the answer reveals nothing
 * about it.
 */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { publicUrl, isPassingFailure, unknownPage }: ErrorAnswerOptions,
): FastifyReply {
  const { config, url: route = '' } = request.routeOptions
  // The static file handler refuses odd paths with its own errors. Its wildcard route takes every path that no other
  // route has, so the answer is "no such route".
  const isOdd = route.endsWith('*') && isRefusedPath(error)
  const page = isOdd || isUnreadablePath(error) ? unknownPage(request, reply) : null
  if (page) return page
  const refusal = withPagingFault(isOdd ? noSuchRoute() : asRefusal(error, isPassingFailure), request)
  const { type } = KINDS[refusal.kind]
  let status = refusal.httpStatus
  if (refusal.kind === 'incomplete') status = config?.incompleteStatus ?? status
  const fileError = error as (FastifyError & { headers?: Record<string, string> }) | undefined
  const fileStatus = fileError?.statusCode
  if (fileStatus === RANGE_NOT_SATISFIABLE || fileStatus === PRECONDITION_FAILED) {
    status = fileStatus
    reply.headers(fileError?.headers ?? {})
  }
  logRefusal(request.log, refusal, error)
  request.errorCode = publicCode(refusal.code)
  if (status === KINDS.unavailable.status) reply.header('retry-after', RETRY_AFTER_SECONDS)
  if (refusal.kind === 'unauthenticated') {
    reply.header('www-authenticate', config?.challenge ?? challengeFor(request))
  }
  // The route's serializer is not used: the body is the same whether or not the route lists the status.
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(errorBodyFor(request.url, { error: refusal, status, type, origin: originFor(publicUrl, request) }))
}

/** A page asks for name and password itself. On `Basic`, its browser would open a window of its own before that. */
const challengeFor = (request: FastifyRequest): string =>
  isFromScriptOfPage(request) ? 'Cookie realm="Parley"' : 'Basic realm="Parley", charset="UTF-8"'

/** The log level follows from the fault. A mistake of the caller is not logged: the caller is told. */
function logRefusal(log: FastifyBaseLogger, { fault, kind }: Refusal, err: unknown): void {
  if (fault === 'destination') log.info({ err }, 'request failed at its destination')
  if (fault !== 'ours') return
  if (kind === 'internal') log.error({ err }, 'request failed')
  else log.warn({ err }, 'request refused: the database or the disk cannot be used now')
}

/** A database that restarts is usually back after this time. */
const RETRY_AFTER_SECONDS = 5

function isRefusedPath(error: unknown): boolean {
  const { statusCode } = (error ?? {}) as Partial<FastifyError>
  return !(error instanceof Refusal) && (statusCode === 400 || statusCode === 403)
}

/** Such as a path with a percent sign that stands for itself. */
const isUnreadablePath = (error: unknown): boolean =>
  (error as Partial<FastifyError> | undefined)?.code === 'FST_ERR_BAD_URL'

/** Maps errors of Fastify to the error catalogue. */
const FRAMEWORK: Readonly<Record<string, ErrorEntry>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'character_limit_exceeded' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'invalid_content_type' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'not_a_valid_json' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'not_a_valid_json' },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'not_a_valid_json' },
  FST_ERR_BAD_URL: {
    code: 'request_invalid',
    message: 'The path is not a valid URL: check its percent signs.',
  },
}

function asRefusal(error: unknown, isPassingFailure: ErrorAnswerOptions['isPassingFailure']): Refusal {
  if (error instanceof Refusal) return error
  if (isPassingFailure(error)) return new Refusal('unavailable', { cause: error })
  const { code = '', statusCode = 500 } = (error ?? {}) as Partial<FastifyError>
  const known = Object.hasOwn(FRAMEWORK, code) ? FRAMEWORK[code] : undefined
  if (known) return new Refusal([known], { cause: error })
  if (statusCode === 404) return noSuchRoute()
  if (statusCode >= 400 && statusCode < 500) return new Refusal('request_invalid')
  return new Refusal('internal_error_occurred', { cause: error })
}

/** Adds the error in the paging parameters, which are checked apart from the rest of the query. */
function withPagingFault(refusal: Refusal, { pagingFault }: FastifyRequest): Refusal {
  if (!pagingFault || refusal.kind !== 'invalid') return refusal
  if (refusal.entries.some((entry) => entry.attribute === pagingFault.attribute)) return refusal
  return new Refusal([...refusal.entries, pagingFault])
}

/** Maps errors of the HTTP parser to the error catalogue. */
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
 * Answers bytes that are not a valid HTTP request, and closes the connection.
 * @param error from Node's HTTP parser
 */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Socket,
  publicUrl: string | null,
  log: Logger,
): void {
  // More unreadable bytes may arrive while the answer is being sent.
  if (socket.writableEnded) return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { _httpMessage: pending } = socket as Socket & { _httpMessage?: ServerResponse | null }
  // A complete request came before these bytes. It gets its own answer first.
  if (pending?.req.complete) {
    socket.pause()
    pending.once('close', () => {
      answerUnreadable(error, socket, publicUrl, log)
      socket.resume()
    })
    return
  }
  // An answer is being sent. The client would take this one for a part of it.
  if (pending?.headersSent) {
    socket.destroy()
    return
  }
  const refusal = new Refusal([PARSER[error.code ?? ''] ?? UNREADABLE])
  // The request's own id cannot be read, so it gets a new one.
  const id = newId()
  log.debug({ reqId: id, code: error.code }, 'unreadable request')
  // The socket stays open for a moment. If it closed at once, data that the client still sends would reset the
  // connection, and the answer would be lost.
  socket.end(rawAnswer(refusal, socketOrigin(publicUrl, socket), id), () => {
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  })
}

const LINGER_MS = 1000

/**
 * An error as the bytes of a complete HTTP/1.1 answer, for connections that Fastify does not handle.
 * @param id request id that the logs use
 */
export function rawAnswer(error: Refusal, origin: string, id: string): string {
  const { status, type } = KINDS[error.kind]
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
