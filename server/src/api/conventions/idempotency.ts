import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import type { FirstTry, KeptAnswers } from '../../projects/kept-answers.ts'
import { callerOf } from './authentication.ts'

const CLEANING_INTERVAL_MS = 60 * 60 * 1000
const KEY = /^[\x21-\x7e]{1,255}$/
const HEADER = 'idempotency-key'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while a request with an `Idempotency-Key` runs for the first time. */
    firstTry: FirstTry | null
  }
}

/**
 * Lets clients repeat a POST safely. With an `Idempotency-Key` header (1 to 255 visible ASCII characters), the first
 * answer is kept for 24 hours and repeated for the same request, marked by `Idempotency-Replayed: true`. The same key
 * with another path or body is refused. Answers of 500 and above are not kept, because it is safe to try again.
 */
export function useIdempotency(app: FastifyInstance, answers: KeptAnswers): void {
  app.decorateRequest('firstTry', null)
  useCleaning(app, answers)

  app.addHook('preValidation', (request, reply, done) => {
    if (request.method === 'POST' && request.headers[HEADER] !== undefined)
      return replayOrBegin(request, reply)
    done()
  })

  async function replayOrBegin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { projectId } = callerOf(request)
    const begun = await answers.begin({ projectId, key: readKey(request), hash: hashOf(request) })
    if (begun === 'different') throw differentRequest()
    if ('end' in begun) {
      request.firstTry = begun
      return
    }
    reply.code(begun.status).header('idempotency-replayed', 'true')
    reply.header('content-type', 'application/json; charset=utf-8')
    await reply.serializer((body: unknown) => String(body)).send(begun.body)
  }

  app.addHook('onSend', (request, { statusCode }, payload, done) => {
    const { firstTry } = request
    if (!firstTry) return done()
    // The answer is stored before it is sent. A client that disconnects would prevent a later hook from running.
    if (statusCode < 500 && typeof payload === 'string')
      return firstTry.keep({ status: statusCode, body: payload })
    return firstTry.end()
  })
}

/** Deletes old answers at regular intervals. */
function useCleaning(app: FastifyInstance, answers: KeptAnswers): void {
  const cleaning = setInterval(() => {
    answers
      .deleteOld()
      .catch((error: unknown) => app.log.warn({ err: error }, 'old answers could not be deleted'))
  }, CLEANING_INTERVAL_MS).unref()
  app.addHook('onClose', async () => clearInterval(cleaning))
}

/** Adds the user's id to its key, so that it cannot clash with the keys of the project or of other users. */
function readKey(request: FastifyRequest): string {
  const key = request.headers[HEADER]
  const owner = request.grant?.subscriber_id ?? request.caller?.person?.id
  if (typeof key === 'string' && KEY.test(key)) return owner === undefined ? key : `${key} ${owner}`
  throw new Refusal('invalid_parameter', {
    attribute: 'Idempotency-Key',
    message: 'The header `Idempotency-Key` must be 1 to 255 visible ASCII characters.',
  })
}

/** Hash of all parts that determine what the request does. */
function hashOf(request: FastifyRequest): string {
  const parts = [request.method, request.url, JSON.stringify(request.body ?? null)]
  return createHash('sha256').update(parts.join('\n')).digest('base64url')
}

const differentRequest = () =>
  new Refusal('incompatible_parameters', {
    attribute: 'Idempotency-Key',
    message: 'This `Idempotency-Key` was used for a different request. Use a new key.',
  })
