import type { TSchema } from 'typebox'
import type { PublicErrorCode } from '../../errors/catalogue.ts'

declare module 'fastify' {
  interface FastifySchema {
    /**
     * Codes of error answers, by status, that do not follow from the schemas of the request. Used for the API document.
     */
    errorCodes?: Readonly<Partial<Record<number, readonly PublicErrorCode[]>>>
  }
}

/** The parts of a route's request that determine its errors. */
export interface RequestSchemas {
  method: string
  params?: TSchema | undefined
  querystring?: TSchema | undefined
  body?: TSchema | undefined
  /** Status for a missing required field. */
  incompleteStatus: number
  /** Whether the token of an end user is accepted. */
  takesBearer: boolean
  /** Codes that only the operation itself declares. */
  errorCodes?: Readonly<Partial<Record<number, readonly PublicErrorCode[]>>> | undefined
}

/** The parts of JSON Schema that determine codes. */
interface FieldSchema {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  items?: FieldSchema
  properties?: Record<string, FieldSchema>
  required?: string[]
  [keyword: string]: unknown
}

const LIMITS = ['pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'enum']
const TYPE_CODES: Readonly<Record<string, PublicErrorCode>> = {
  string: 'not_a_string',
  boolean: 'not_a_boolean',
  object: 'not_a_hash',
  array: 'not_an_array_of_strings',
}

/**
 * The codes that an operation may answer with, by status: codes of the validation for its schemas, codes of every
 * operation, and codes that the operation adds.
 */
export function codesByStatus(request: RequestSchemas): ReadonlyMap<number, readonly PublicErrorCode[]> {
  const found = new Map<number, Set<PublicErrorCode>>()
  const add = (status: number, ...codes: PublicErrorCode[]) =>
    found.set(status, new Set([...(found.get(status) ?? []), ...codes]))

  if (request.body) addBody(request.body as FieldSchema)
  addQuery((request.querystring ?? {}) as FieldSchema)
  for (const [status, codes] of Object.entries(request.errorCodes ?? {}))
    add(Number(status), ...(codes ?? []))
  if (request.method !== 'GET')
    add(400, 'not_a_hash', 'not_a_valid_json', 'invalid_content_type', 'character_limit_exceeded')
  // Reasons: an invalid id, a path that cannot be decoded, headers that are too long, and HTTP without TLS.
  add(400, 'invalid_parameter', 'header_value_too_long', 'cannot_process')
  add(401, 'token_invalid')
  if (request.takesBearer) add(401, 'token_expired')
  add(403, 'invalid_auth_token_permissions')
  add(404, 'provided_id_is_unrecognized')
  add(422, 'invalid_parameter')
  if (request.method === 'POST') add(422, 'incompatible_parameters')
  add(429, 'rate_limit_exceeded')
  add(500, 'internal_error_occurred')
  add(503, 'internal_error_occurred')
  return new Map([...found].map(([status, codes]) => [status, [...codes]]))

  function addBody(body: FieldSchema): void {
    if (body.required?.length) add(request.incompleteStatus, 'missing_required_parameter')
    if (body['x-join-window']) add(422, 'invalid_join_until_date')
    for (const field of Object.values(body.properties ?? {})) add(422, ...codesOfField(field))
  }

  function addQuery({ properties = {} }: FieldSchema): void {
    for (const field of Object.values(properties)) add(422, ...codesOfField(field))
    if (properties.page_token || properties.PageToken)
      add(422, 'page_token_is_invalid', 'page_token_required')
  }
}

/** The validation's codes for invalid values. Keep it in step with `validation.ts`. */
function codesOfField(field: FieldSchema): PublicErrorCode[] {
  const type = [field.type].flat().find((one) => one !== 'null') ?? ''
  const codes: PublicErrorCode[] = []
  if (field.format?.startsWith('date-')) codes.push('not_a_datetime')
  if (field.format !== 'date-or-date-time') codes.push(TYPE_CODES[type] ?? 'invalid_parameter')
  const hasLimit = LIMITS.some((keyword) => field[keyword] !== undefined)
  if (hasLimit || field.format === 'uuid' || 'x-max-serialized-length' in field)
    codes.push('invalid_parameter')
  if (field.items?.enum || field.items?.format) codes.push('list_contains_invalid_entries')
  return [...codes, ...namedCodes(field)]
}

/** The codes that a schema, or a part of it, sets for its keywords. */
function namedCodes(schema: unknown): PublicErrorCode[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, part]) =>
    key === 'x-error-codes' ? (Object.values(part as object) as PublicErrorCode[]) : namedCodes(part),
  )
}
