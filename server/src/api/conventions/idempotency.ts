import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../clock.ts'
import { ParleyError } from '../../errors/parley-error.ts'
import { seal, unseal } from '../../secrets/sealing.ts'
import type { Storage } from '../../storage/storage.ts'
import { callerOf } from './authentication.ts'

/** How long an answer is kept and replayed. */
const KEPT_MS = 24 * 60 * 60 * 1000
const CLEANING_INTERVAL_MS = 60 * 60 * 1000
const KEY = /^[\x21-\x7e]{1,255}$/
const HEADER = 'idempotency-key'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while a request with an `Idempotency-Key` is carried out for the first time. */
    keptAs: KeptAs | null
  }
}

interface KeptAs {
  key: string
  /** Of what the request asks for. */
  hash: string
  /** Lets those go on who wait for the answer. */
  finish: () => void
}

export interface IdempotencyOptions {
  storage: Pick<Storage, 'keptAnswers'>
  /** 32 bytes: answers may hold credentials, so they are stored sealed. */
  sealingKey: Uint8Array
  clock: Clock
}

/**
 * Lets clients send a POST again without its happening twice: with an `Idempotency-Key` header (1 to 255 visible ASCII
 * characters), the first answer is kept for 24 hours and given again to the same request, marked by
 * `Idempotency-Replayed: true`. The same key with another path or body is refused. Answers of 500 and above are not
 * kept: they are safe to try again.
 */
export function useIdempotency(app: FastifyInstance, options: IdempotencyOptions): void {
  const { storage, clock } = options
  const underWay = new Map<string, Promise<void>>()
  app.decorateRequest('keptAs', null)

  app.addHook('preValidation', (request, reply, done) => {
    if (request.method === 'POST' && request.headers[HEADER] !== undefined)
      return replayOrBegin(request, reply)
    done()
  })

  async function replayOrBegin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const key = readKey(request)
    const { projectId } = callerOf(request)
    const name = `${projectId} ${key}`
    const hash = hashOf(request)
    // The same request may be on its way already: then its answer is waited for.
    while (underWay.has(name)) await underWay.get(name)
    const finish = begin(name)
    try {
      const kept = await storage.keptAnswers.find(projectId, key)
      if (!kept || kept.created_at <= clock.now() - KEPT_MS) {
        request.keptAs = { key, hash, finish }
        return
      }
      if (kept.request_hash !== hash) throw differentRequest()
      reply.code(kept.status).header('idempotency-replayed', 'true')
      reply.header('content-type', 'application/json; charset=utf-8')
      await reply.serializer((body: unknown) => String(body)).send(unsealBody(kept.body, name))
    } finally {
      if (!request.keptAs) finish()
    }
  }

  app.addHook('onSend', (request, { statusCode }, payload, done) => {
    const { keptAs } = request
    if (keptAs && statusCode < 500 && typeof payload === 'string')
      return keep(request, keptAs, statusCode, payload)
    keptAs?.finish()
    done()
  })

  async function keep(
    request: FastifyRequest,
    { key, hash, finish }: KeptAs,
    status: number,
    body: string,
  ): Promise<void> {
    const { projectId } = callerOf(request)
    try {
      await storage.keptAnswers.put({
        project_id: projectId,
        idempotency_key: key,
        request_hash: hash,
        status,
        body: seal(options.sealingKey, contextOf(`${projectId} ${key}`), body),
        created_at: clock.now(),
      })
    } finally {
      // Not once the answer has left: with the client gone, it never does.
      finish()
    }
  }

  const cleaning = setInterval(() => {
    storage.keptAnswers
      .deleteBefore(clock.now() - KEPT_MS)
      .catch((error: unknown) => app.log.warn({ err: error }, 'old answers could not be deleted'))
  }, CLEANING_INTERVAL_MS).unref()
  app.addHook('onClose', async () => clearInterval(cleaning))

  function begin(name: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    underWay.set(name, promise)
    return () => {
      if (underWay.get(name) === promise) underWay.delete(name)
      resolve()
    }
  }

  const unsealBody = (body: string, name: string) => unseal(options.sealingKey, contextOf(name), body)
}

const contextOf = (name: string) => `kept-answer:${name}`

/** End users choose keys of their own, which are not those of the project or of one another. */
function readKey(request: FastifyRequest): string {
  const key = request.headers[HEADER]
  const owner = request.grant?.subscriber_id
  if (typeof key === 'string' && KEY.test(key)) return owner === undefined ? key : `${key} ${owner}`
  throw new ParleyError('invalid', {
    code: 'invalid_parameter',
    attribute: 'Idempotency-Key',
    message: 'The header `Idempotency-Key` must be 1 to 255 visible ASCII characters.',
  })
}

/** Of everything that decides what the request does. */
function hashOf(request: FastifyRequest): string {
  const parts = [request.method, request.url, JSON.stringify(request.body ?? null)]
  return createHash('sha256').update(parts.join('\n')).digest('base64url')
}

const differentRequest = () =>
  new ParleyError('invalid', {
    code: 'incompatible_parameters',
    attribute: 'Idempotency-Key',
    message: 'This `Idempotency-Key` was used for a different request. Use a new key.',
  })
