import { describe, expect, test } from 'vitest'
import { type Operation, operations, resolve, type Schema } from './api-document.ts'
import type { CallAnswer } from './caller.ts'
import { casesOf, codeOf, isMoment, typeOf } from './field-cases.ts'
import { freshName } from './project.ts'
import type { Suite } from './suite.ts'

/** Fields whose valid values depend on more than their schema. Separate tests cover them. */
const DEPENDENT = new Set([
  'id',
  'token',
  'url',
  'member_id',
  'refresh_token',
  'allowed_addresses',
  'expire_at',
  'channels',
])

/** Operations that require exactly one of their fields, although no field is required by itself. */
const ONE_OF = new Set(['revokeRoomToken', 'revokeSubscriberTokens'])

/** Whether the server may refuse a value that the schema allows. */
const isDependent = (operation: Operation, name: string): boolean =>
  DEPENDENT.has(name) || ONE_OF.has(operation.id)

/** Tests each field of each body on both sides of its limits, each default, and the values in the answer. */
export function fields(suite: Suite): void {
  for (const operation of operations.filter(({ body }) => body !== undefined)) {
    describe(`the body of ${operation.id}`, () => {
      const entries = Object.entries(operation.body?.properties ?? {})
      for (const [name, field] of entries) {
        // A change of the name is always refused: see the rules.
        if (operation.method === 'PUT' && name === 'name') continue
        test(`${name}: accepted and refused values`, () => bounds(suite, operation, name, resolve(field)))
      }
      if (operation.body?.required?.length) {
        test('fields that are required', () => incomplete(suite, operation))
      }
      test('defaults, and fields that nobody knows', () => defaults(suite, operation))
    })
  }
}

/** A valid body with only the required fields. */
async function leastBody({ project }: Suite, operation: Operation): Promise<Record<string, unknown>> {
  const body = await project.goodBody(operation)
  const required = operation.body?.required ?? []
  if (ONE_OF.has(operation.id)) return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => required.includes(name)))
}

async function bounds(suite: Suite, operation: Operation, name: string, field: Schema): Promise<void> {
  const { caller, project } = suite
  const least = ONE_OF.has(operation.id) ? {} : await leastBody(suite, operation)
  const { path, authorization } = await project.goodCall(operation)
  const isRequired = operation.body?.required?.includes(name) ?? false
  const isUnique = operation.id.startsWith('create') && name === 'name'
  for (const { value, accepted } of casesOf(field, isRequired)) {
    if (accepted && isDependent(operation, name)) continue
    const rest =
      operation.method === 'POST' && least.name !== undefined ? { ...least, name: freshName() } : least
    const sent = accepted && isUnique && typeof value === 'string' ? unique(value) : value
    const call = { authorization, ...(path && { path }), body: { ...rest, [name]: sent } }
    const answer = await caller.call(operation, call)
    const told = `${name}: ${JSON.stringify(sent)?.slice(0, 100)} -> ${answer.text.slice(0, 400)}`
    expect(answer.status, told).toBe(accepted ? operation.success : 422)
    if (accepted) expectEcho(answer.json, name, sent, field)
    else expect(faultsIn(answer), told).toEqual([[name, codeOf(field, value)]])
  }
}

const faultsIn = ({ json }: CallAnswer): [string, string][] =>
  json.errors.map(({ attribute, code }: { attribute: string; code: string }) => [attribute, code])

/**
 * Omits one required field, and then all: the answer must name each absent field. For streams the specification has no
 * 400.
 */
async function incomplete(suite: Suite, operation: Operation): Promise<void> {
  const least = await leastBody(suite, operation)
  const { path, authorization } = await suite.project.goodCall(operation)
  const required = Object.keys(least)
  for (const absent of [...required.map((name) => [name]), required]) {
    const body = Object.fromEntries(Object.entries(least).filter(([name]) => !absent.includes(name)))
    const answer = await suite.caller.call(operation, { authorization, ...(path && { path }), body })
    expect(answer.status, answer.text).toBe(/Stream$/.test(operation.id) ? 422 : 400)
    const faults = absent.map((name) => [name, 'missing_required_parameter'])
    expect(faultsIn(answer).sort()).toEqual(faults.sort())
  }
}

/** A unique name of the same length. */
const unique = (name: string): string => {
  const fresh = freshName()
  return fresh + [...name].slice(fresh.length).join('')
}

/** Checks that the answer shows what was set: times in UTC, and the default for null. */
function expectEcho(answer: Record<string, unknown>, name: string, sent: unknown, field: Schema): void {
  if (!(name in answer) || ['token', 'refresh_token'].includes(name)) return
  const shown = answer[name]
  if (sent === null) {
    if (field.default !== undefined) expect(shown).toEqual(field.default)
    return
  }
  if (isMoment(field)) expect(Date.parse(String(shown))).toBe(Date.parse(String(sent)))
  else expect(shown).toEqual(sent)
}

async function defaults(suite: Suite, operation: Operation): Promise<void> {
  const least = await leastBody(suite, operation)
  const { path, authorization } = await suite.project.goodCall(operation)
  const unknown = {
    no_such_field: true,
    created_at: 'never',
    ...(!operation.body?.properties?.id && { id: 'mine' }),
  }
  const body = { ...least, ...unknown }
  const answer = await suite.caller.call(operation, { authorization, ...(path && { path }), body })
  expect(answer.status, answer.text).toBe(operation.success)
  if (operation.success === 204) return
  expect(answer.json).not.toHaveProperty('no_such_field')
  expect(answer.json.id).not.toBe('mine')
  for (const [name, field] of Object.entries(operation.body?.properties ?? {})) {
    const fallback = resolve(field).default
    if (fallback !== undefined && name in answer.json) expect(answer.json[name], name).toEqual(fallback)
  }
}

/** Tests each query parameter on both sides of its limits. */
export function parameters(suite: Suite): void {
  for (const operation of operations.filter(({ queryParameters }) => queryParameters.length > 0)) {
    test(`the query of ${operation.id}: accepted and refused values`, async () => {
      const good = await suite.project.goodCall(operation)
      for (const { name, schema } of operation.queryParameters) {
        for (const { value, accepted } of casesOf(schema, true)) {
          // In a query every value is text, so other types cannot be told apart. A page needs its token.
          if (typeof value === 'object' || typeof value === 'boolean') continue
          if (typeof value === 'number' && typeOf(schema) === 'string') continue
          if (/^page_?(number|token)$/i.test(name) && accepted && value !== 0) continue
          const text = String(value)
          // A URL cannot carry half a surrogate pair. It arrives as U+FFFD.
          if (!text.isWellFormed()) continue
          if (typeof value === 'string' && typeOf(schema) !== 'string') continue
          const answer = await suite.caller.call(operation, { ...good, query: { [name]: text } })
          expect(answer.status, `${name}=${text.slice(0, 100)} -> ${answer.text.slice(0, 300)}`).toBe(
            accepted ? operation.success : 422,
          )
        }
      }
    })
  }
}
