import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'

/** Far more than any request needs: two `meta` objects and a description with every character escaped. */
export const BODY_MAX_BYTES = 128 * 1024
/** How deep arrays and objects may be nested, including the body itself. */
export const BODY_MAX_LEVELS = 64

const notJson = (message?: string) => new Refusal('not_a_valid_json', { message })

/** Message for a request without its required body. */
export const NO_BODY = 'The request needs a body: a JSON object.'

/** Message for valid JSON that is refused all the same. */
const FORBIDDEN_KEY = 'The body has a key that is not taken: `__proto__`, or `prototype` in `constructor`.'

/**
 * Accepts only JSON objects in UTF-8 as bodies, even if no handler reads them. An operation without a body accepts an
 * empty one, because many clients send the content type with every request. GET and HEAD have no body. Keys that would
 * change the prototype of an object are refused.
 */
export function useJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', (request, _reply, done) => {
    refuseBodyOnGet(request)
    done()
  })
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
    if (charset && !/^utf-?8$/i.test(charset)) {
      const message = 'The content type must be `application/json`, in UTF-8.'
      done(new Refusal('invalid_content_type', message))
      return
    }
    if (body.length === 0) {
      const expectsBody = request.routeOptions.schema?.body !== undefined
      if (!expectsBody) done(null, undefined)
      else done(notJson(NO_BODY))
      return
    }
    let text: string
    try {
      text = decoder.decode(body)
    } catch {
      done(notJson('The body is not valid UTF-8.'))
      return
    }
    void parse(request, text, (error, value) => {
      if (error) done(notJson(isJson(text) ? FORBIDDEN_KEY : undefined))
      else if (!isObject(value)) done(new Refusal('body_not_a_hash'))
      else if (isDeeperThan(value, BODY_MAX_LEVELS))
        done(notJson(`The body is nested deeper than ${BODY_MAX_LEVELS} levels.`))
      else done(null, value)
    })
  })
}

const bodyOnGet = () =>
  new Refusal('cannot_process', 'A GET or HEAD request has no body. Put what it asks for into the query.')

/**
 * Refuses a body on GET. It has no meaning (RFC 9110, section 9.3.1), but a client that sends one expects an effect.
 */
function refuseBodyOnGet({ method, headers }: FastifyRequest): void {
  if (method !== 'GET' && method !== 'HEAD') return
  const length = headers['content-length']
  const hasBody = (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
  if (hasBody) throw bodyOnGet()
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Checks level by level, so that hostile nesting cannot overflow the stack. */
function isDeeperThan(value: unknown, limit: number): boolean {
  let level = [value].filter(isNested)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true
    level = level.flatMap((item) => Object.values(item).filter(isNested))
  }
  return false
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null
