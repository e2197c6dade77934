import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import type { ErrorCode } from '../../errors/catalogue.ts'
import { type ErrorEntry, Refusal } from '../../errors/refusal.ts'
import { isUuid } from '../../ids.ts'
import { COLOR_PATTERN, NAME_PATTERN } from '../../resources/building-blocks.ts'
import { parseMoment, parseMomentOrRfc2822, parseMomentOrTimestamp } from '../../resources/dates.ts'
import { NO_BODY } from './json-body.ts'

/** One invalid field, as the validators report it. */
type Fault = ErrorObject<string, Record<string, unknown>, unknown>

/** The part of a request that is validated, in Fastify's words. */
type RequestPart = 'body' | 'querystring' | 'params' | 'headers'

const shared: Options = {
  // All failing fields are reported at once.
  allErrors: true,
  // The error code depends on the schema that failed.
  verbose: true,
  allowUnionTypes: true,
  formats: {
    uuid: isUuid,
    'date-or-date-time': (text: string) => parseMoment(text) !== undefined,
    'date-or-date-time-or-timestamp': (text: string) => parseMomentOrTimestamp(text) !== undefined,
    'date-or-date-time-or-rfc2822': (text: string) => parseMomentOrRfc2822(text) !== undefined,
  },
}

function validators(options: Options): Ajv2020 {
  const ajv = new Ajv2020({ ...shared, ...options })
  ajv.addKeyword({
    keyword: 'x-max-serialized-length',
    type: 'object',
    schemaType: 'number',
    validate: (limit: number, value: object) => characters(JSON.stringify(value)) <= limit,
  })
  ajv.addKeyword({
    keyword: 'x-needs-one-of',
    type: 'object',
    schemaType: 'array',
    validate: (names: string[], value: Record<string, unknown>) => names.some((name) => value[name] != null),
  })
  ajv.addKeyword({ keyword: 'x-error-codes', schemaType: 'object' })
  // No half of a surrogate pair.
  ajv.addKeyword({
    keyword: 'x-well-formed',
    type: 'string',
    schemaType: 'boolean',
    validate: (_: boolean, value: string) => value.isWellFormed(),
  })
  ajv.addKeyword({
    keyword: 'x-join-window',
    type: 'object',
    schemaType: 'boolean',
    validate: (_: boolean, value: Record<string, unknown>) => !closesBeforeItOpens(value),
  })
  return ajv
}

/** How many characters (code points) a text has. */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function closesBeforeItOpens({ join_from: from, join_until: until }: Record<string, unknown>): boolean {
  if (typeof from !== 'string' || typeof until !== 'string') return false
  const [opens, closes] = [parseMoment(from), parseMoment(until)]
  return opens !== undefined && closes !== undefined && closes < opens
}

/**
 * Validates every request by its route's schemas. Query strings are text, so numbers and booleans are parsed and
 * defaults are filled in. A body is not converted.
 */
export function useValidation(app: FastifyInstance): void {
  const body = validators({})
  const text = validators({ useDefaults: true })
  const compile: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
    // Schemas are compiled at first use. Compiling all of them takes a third of a second, which would delay the first
    // answer after a start.
    let validate: ValidateFunction | undefined
    return (given: unknown) => {
      validate ??= (httpPart === 'body' ? body : text).compile(schema)
      const value = httpPart === 'querystring' ? readTyped(schema as QuerySchema, given) : given
      if (validate(value)) return { value }
      return { error: refusal((validate.errors ?? []) as Fault[], httpPart as RequestPart, value) }
    }
  }
  app.setValidatorCompiler(compile as FastifySchemaCompiler<unknown>)
}

interface QuerySchema {
  properties?: Record<string, { type?: string }>
}

/** Parses numbers and booleans of a query string. Other text stays text, and the schema refuses it. */
function readTyped({ properties = {} }: QuerySchema, given: unknown): unknown {
  const query: Record<string, unknown> = { ...(given as object) }
  for (const [name, { type }] of Object.entries(properties)) {
    const text = query[name]
    if (typeof text !== 'string') continue
    if (type === 'integer' && /^-?\d+$/.test(text)) query[name] = Number(text)
    if (type === 'boolean' && (text === 'true' || text === 'false')) query[name] = text === 'true'
  }
  return query
}

function refusal(faults: readonly Fault[], part: RequestPart, value: unknown): Refusal {
  if (part === 'body' && value === null) {
    return new Refusal('not_a_valid_json', NO_BODY)
  }
  const entries = new Map<string, ErrorEntry>()
  for (const fault of faults) {
    const entry = describe(fault)
    // Each field gets one entry. A type error wins, because other errors follow from a wrong type.
    const key = entry.attribute ?? ''
    if (!entries.has(key) || fault.keyword === 'type') entries.set(key, entry)
  }
  const list = [...entries.values()]
  // An invalid id in the path makes the request malformed.
  return new Refusal(part === 'params' ? list.map((entry) => ({ ...entry, code: 'request_invalid' })) : list)
}

/** The name of the invalid field: `permissions` for `/permissions/3`. */
function fieldOf(fault: Fault): string {
  if (fault.keyword === 'required') return String(fault.params.missingProperty)
  if (fault.keyword === 'x-join-window') return 'join_until'
  return (fault.instancePath.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')
}

function describe(fault: Fault): ErrorEntry {
  const attribute = fieldOf(fault)
  const isInsideList = fault.instancePath.split('/').length > 2
  const code = codeOfSchema(fault)
  if (code) return { code, attribute }
  switch (fault.keyword) {
    case 'required':
      return { code: 'missing_required_parameter', attribute }
    case 'x-join-window':
      return { code: 'invalid_join_until_date', attribute }
    case 'type':
      return describeType(fault, attribute, isInsideList)
    case 'format':
      return isInsideList ? describeEntry(fault, attribute) : describeFormat(fault, attribute)
    case 'enum':
      return isInsideList
        ? describeEntry(fault, attribute)
        : { code: 'invalid_parameter', attribute, message: `The value must be one of: ${allowed(fault)}.` }
    default:
      return { code: 'invalid_parameter', attribute, message: limitMessage(fault) }
  }
}

/** One entry of a list of strings. */
const describeEntry = (fault: Fault, attribute: string): ErrorEntry => ({
  code: 'list_contains_invalid_entries',
  attribute,
  message: `Not accepted here: ${shown(fault.data)}.`,
})

/** A schema may name the code of a keyword itself, as `x-error-codes`. */
function codeOfSchema(fault: Fault): ErrorCode | undefined {
  const { 'x-error-codes': codes } = (fault.parentSchema ?? {}) as {
    'x-error-codes'?: Partial<Record<string, ErrorCode>>
  }
  return codes?.[fault.keyword]
}

/** The value that the caller sent, shortened. */
const shown = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

const allowed = (fault: Fault): string =>
  ((fault.params.allowedValues ?? []) as unknown[]).filter((value) => value !== null).join(', ')

function describeType(fault: Fault, attribute: string, isInsideList: boolean): ErrorEntry {
  if (isInsideList) return { code: 'not_an_array_of_strings', attribute }
  const expected = [fault.params.type].flat()[0]
  const format = (fault.parentSchema as { format?: string } | undefined)?.format
  if (expected === 'string' && format === 'date-or-date-time') return { code: 'not_a_datetime', attribute }
  const codes: Record<string, ErrorCode> = {
    string: 'not_a_string',
    boolean: 'not_a_boolean',
    object: 'not_a_hash',
    array: 'not_an_array_of_strings',
  }
  const code = codes[String(expected)]
  return code
    ? { code, attribute }
    : { code: 'invalid_parameter', attribute, message: 'The value must be a whole number.' }
}

function describeFormat(fault: Fault, attribute: string): ErrorEntry {
  if (String(fault.params.format).startsWith('date-')) return { code: 'not_a_datetime', attribute }
  return {
    code: 'invalid_parameter',
    attribute,
    message: `The value must be a ${String(fault.params.format).toUpperCase()}.`,
  }
}

const UNSTORABLE = 'The value has characters that cannot be stored.'

/** Messages for values that do not match a pattern, keyed by the pattern. */
const PATTERN_MESSAGES: Readonly<Record<string, string>> = {
  [NAME_PATTERN]:
    'The value may have only letters A to Z, digits, hyphens and underscores, and at least one of them.',
  [COLOR_PATTERN]: 'The value must be a colour such as #044EF4.',
}

function limitMessage(fault: Fault): string {
  const limit = String(fault.params.limit ?? fault.schema)
  switch (fault.keyword) {
    case 'minimum':
      return `The value must be ${limit} or more.`
    case 'maximum':
      return `The value must be ${limit} or less.`
    case 'minLength':
      return `The value must have at least ${limit} characters.`
    case 'maxLength':
      return `The value must have at most ${limit} characters.`
    case 'minItems':
      return `The list must have at least ${limit} entries.`
    case 'maxItems':
      return `The list must have at most ${limit} entries.`
    case 'x-max-serialized-length':
      return `The value must have at most ${limit} characters when it is written as JSON.`
    case 'x-well-formed':
      return UNSTORABLE
    case 'pattern':
      return PATTERN_MESSAGES[String(fault.schema)] ?? UNSTORABLE
    default:
      return 'The value is not one that is accepted here.'
  }
}
