import fc from 'fast-check'
import { type Operation, operations, resolve, type Schema } from './api-document.ts'
import type { Call } from './caller.ts'
import { casesOf, typeOf } from './field-cases.ts'
import { freshName, NOBODY } from './project.ts'

/**
 * Prefix of a path parameter. With a number after it, it stands for one of the ids that exist when the request is sent.
 */
export const LIVE = 'live:'

/** An operation and a request to it. */
export interface ArbitraryCall {
  operation: Operation
  call: Call
}

/** Ids and credentials that requests may use. */
export interface Known {
  /** Values for path parameters, such as ids of the other project. */
  ids: readonly string[]
  authorizations: readonly string[]
  /** Valid credentials. Most requests use them, so that they reach the handlers. */
  good: (operation: Operation) => string
}

/** Texts that often trigger faults in a parser. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 50 }),
  fc.constantFrom('', '__proto__', 'null', 'NaN', '\u0000', '\ud800', '%', '../..', "'", '🎥'.repeat(500)),
)

/** Any JSON that a body can contain. */
const anyJson = fc.jsonValue({ maxDepth: 4, noUnicodeString: false })

/** A value for a field: usually at the limits of its schema, sometimes anything. */
function fieldValue(schema: Schema): fc.Arbitrary<unknown> {
  const resolved = resolve(schema)
  const cases = casesOf(resolved, false)
  const good = cases.filter(({ accepted }) => accepted).map(({ value }) => value)
  return fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...(good.length > 0 ? good : [null])) },
    { weight: 1, arbitrary: fc.constantFrom(...cases.map(({ value }) => value)) },
    { weight: 1, arbitrary: fc.oneof(nasty, anyJson) },
  )
}

/** A body with some of its fields, some of them valid. Sometimes it is no valid body at all. */
function bodyOf({ method, body }: Operation): fc.Arbitrary<Pick<Call, 'body' | 'rawBody'>> {
  const raw = fc.oneof(
    nasty,
    fc.json(),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  )
  if (!body) {
    const none =
      method === 'POST'
        ? fc.oneof(
            fc.constant({}),
            raw.map((rawBody) => ({ rawBody })),
          )
        : fc.constant({})
    return none
  }
  const values = Object.entries(body.properties ?? {}).map(([name, field]) => {
    const fresh = name === 'name' || name === 'room_name'
    const unique = fc.constant(undefined).map(freshName)
    return [
      name,
      fresh ? fc.oneof({ weight: 4, arbitrary: unique }, fieldValue(field)) : fieldValue(field),
    ] as const
  })
  const required = body.required ?? []
  const record = fc.record(Object.fromEntries(values), { requiredKeys: required })
  return fc.oneof(
    // If a body has many random fields, rarely all are valid. So few fields are as useful as many.
    {
      weight: 5,
      arbitrary: fc
        .tuple(record, fc.integer({ min: 0, max: 3 }))
        .map(([all, keep]) => ({ body: some(all, required, keep) })),
    },
    { weight: 3, arbitrary: record.map((all) => ({ body: all })) },
    { weight: 1, arbitrary: anyJson.map((value) => ({ body: value })) },
    { weight: 1, arbitrary: raw.map((rawBody) => ({ rawBody })) },
  )
}

function some(
  all: Record<string, unknown>,
  required: readonly string[],
  keep: number,
): Record<string, unknown> {
  const others = Object.keys(all).filter((name) => !required.includes(name))
  const kept = new Set([...required, ...others.slice(0, keep)])
  return Object.fromEntries(Object.entries(all).filter(([name]) => kept.has(name)))
}

function queryOf({ queryParameters }: Operation): fc.Arbitrary<Record<string, string>> {
  const values = queryParameters.map(({ name, schema }) => {
    const fitting = fieldValue(schema).map((value) =>
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    )
    const wellFormed = fitting.map((text) => text.toWellFormed())
    return [
      name,
      typeOf(schema) === 'boolean' ? fc.oneof(fc.constantFrom('true', 'false'), wellFormed) : wellFormed,
    ] as const
  })
  const record = fc.record(Object.fromEntries(values)) as fc.Arbitrary<Record<string, string>>
  // Each may be wrong, so many at once are rarely all valid. A page needs the token of another page.
  return fc
    .tuple(
      record,
      fc.subarray(
        queryParameters.map(({ name }) => name),
        { maxLength: Math.min(3, queryParameters.length) },
      ),
    )
    .map(([all, kept]) => Object.fromEntries(Object.entries(all).filter(([name]) => kept.includes(name))))
}

const headers = fc.oneof(
  { weight: 20, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'content-type': 'text/plain' },
      { 'content-type': '' },
      { 'x-request-id': 'x'.repeat(200) },
      { 'x-forwarded-proto': 'http', 'x-forwarded-for': '127.0.0.1' },
      { accept: 'text/html' },
    ),
  },
)

/** Requests with valid and invalid input to all operations. */
export function arbitraryCall({ ids, authorizations, good }: Known): fc.Arbitrary<ArbitraryCall> {
  const id = fc.oneof(
    { weight: 12, arbitrary: fc.nat({ max: 1000 }).map((place) => `${LIVE}${place}`) },
    { weight: 2, arbitrary: fc.constantFrom(...ids) },
    { weight: 1, arbitrary: fc.constantFrom(NOBODY, NOBODY.toUpperCase()) },
    { weight: 1, arbitrary: nasty.map((text) => text.toWellFormed() || 'x') },
  )
  return fc.constantFrom(...operations).chain((operation) =>
    fc
      .record({
        path: fc.record(Object.fromEntries(operation.pathParameters.map(({ name }) => [name, id]))),
        query: queryOf(operation),
        content: bodyOf(operation),
        headers,
        authorization: fc.oneof(
          { weight: 15, arbitrary: fc.constant(good(operation)) },
          { weight: 1, arbitrary: fc.constantFrom(...authorizations) },
        ),
        key: fc.option(fc.constantFrom('key-1', 'key-2', 'schlüssel', ''), { freq: 30, nil: undefined }),
      })
      .map(({ content, key, headers: own, ...rest }) => ({
        operation,
        call: {
          ...rest,
          ...content,
          headers: key === undefined ? own : { ...own, 'idempotency-key': encodeURI(key) },
        },
      })),
  )
}
