import type { FastifySchema } from 'fastify'
import { expect, it } from 'vitest'
import { BASIC, BEARER } from '../conventions/security-schemes.ts'
import { errorStatuses } from './error-statuses.ts'

const security = [{ [BASIC]: ['video'] }]
const cases: [name: string, method: string, schema: FastifySchema, expected: number[]][] = [
  ['one that takes an id', 'GET', { security, params: {} }, [400, 401, 403, 404, 429, 500, 503]],
  ['a list', 'GET', { security, querystring: {} }, [400, 401, 403, 422, 429, 500, 503]],
  ['an update', 'PUT', { security, params: {}, body: {} }, [400, 401, 403, 404, 422, 429, 500, 503]],
  // Its `Idempotency-Key` may be invalid.
  ['a POST without a body', 'POST', { security, params: {} }, [400, 401, 403, 404, 422, 429, 500, 503]],
  [
    'one for end users alone',
    'POST',
    { security: [{ [BEARER]: [] }], body: {} },
    [400, 401, 422, 429, 500, 503],
  ],
  [
    'one with a code of its own',
    'POST',
    { security, body: {}, errorCodes: { 404: ['does_not_exist'] } },
    [400, 401, 403, 404, 422, 429, 500, 503],
  ],
]

it.each(cases)('%s', (_name, method, schema, expected) => {
  expect(errorStatuses(method, schema)).toEqual(expected)
})
