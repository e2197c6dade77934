import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

/** The part of JSON Schema that these tests read. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  'x-max-serialized-length'?: number
  /** The error code for a value that a keyword refuses, if the keyword has its own code. */
  'x-error-codes'?: Record<string, string>
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}

interface Answer {
  $ref?: string
  content?: { 'application/json'?: { schema: Schema } }
}

interface RawOperation {
  operationId: string
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, Answer>
}

interface Document {
  paths: Record<string, Record<string, RawOperation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer> }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** One operation of the API, as its document describes it. */
export interface Operation {
  id: string
  method: Method
  /** The path, with parameters in braces. */
  path: string
  pathParameters: readonly Parameter[]
  queryParameters: readonly Parameter[]
  /** Undefined if the operation takes no body. */
  body: Schema | undefined
  /** Every status that the operation may answer with. */
  statuses: readonly number[]
  /** The status of a successful answer. */
  success: number
  /** Name of the schema of a successful answer; undefined if it has none. */
  answer: string | undefined
  /** Whether the operation accepts a project's API token (Basic), and a user's token (Bearer). */
  takesBasic: boolean
  takesBearer: boolean
  /** Whether it accepts the token of a conference (Bearer). */
  takesInvitation: boolean
}

const file = path.resolve(import.meta.dirname, '../../docs/openapi.json')
const document = JSON.parse(readFileSync(file, 'utf8')) as Document

/** Returns the schema behind a reference, or the schema itself. */
export function resolve(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (document.components.schemas[name] ?? schema)
}

const resolveAnswer = (answer: Answer): Answer =>
  answer.$ref ? (document.components.responses[answer.$ref.split('/').at(-1) ?? ''] ?? answer) : answer

/**
 * Every operation of the API for programs. Those for people alone, with a session or to start one, have tests of their own:
 * `server/src/api/dashboard`.
 */
export const operations: readonly Operation[] = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => readOperation(method.toUpperCase() as Method, path, raw)),
  )
  .filter(({ takesBasic, takesBearer, takesInvitation }) => takesBasic || takesBearer || takesInvitation)

function readOperation(method: Method, path: string, raw: RawOperation): Operation {
  const { parameters = [], requestBody, responses } = raw
  const body = requestBody?.content['application/json'].schema
  const statuses = Object.keys(responses).map(Number)
  const success = statuses.find((status) => status < 300) ?? 0
  return {
    id: raw.operationId,
    method,
    path,
    pathParameters: parameters.filter((parameter) => parameter.in === 'path'),
    queryParameters: parameters.filter((parameter) => parameter.in === 'query'),
    body: body && resolve(body),
    statuses,
    success,
    answer: responses[success]?.content?.['application/json']?.schema.$ref?.split('/').at(-1),
    takesBasic: raw.security.some((way) => 'apiToken' in way),
    takesBearer: raw.security.some((way) => 'userToken' in way),
    takesInvitation: raw.security.some((way) => 'conferenceToken' in way),
  }
}

/** @throws when the document has no such operation */
export function operation(id: string): Operation {
  const found = operations.find((one) => one.id === id)
  if (!found) throw new Error(`the API document has no operation ${id}`)
  return found
}

const patterns = operations.map((one) => ({
  one,
  pattern: new RegExp(`^${one.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}))

/**
 * Finds the operation that a path leads to.
 * @param path without the origin
 * @returns undefined if there is none
 */
export function operationAt(method: string, path: string): Operation | undefined {
  const [bare = ''] = path.split('?')
  return patterns.find(({ one, pattern }) => one.method === method && pattern.test(bare))?.one
}

const REAL_DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ]|$)/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}:(?:\d{2}|60)(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2}))$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a date exists in the calendar. */
function isReal(text: string): boolean {
  const [, year, month, day] = (REAL_DATE.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return false
  return new Date(Date.UTC(year, month, 0)).getUTCDate() >= day && day > 0 && month > 0 && month < 13
}

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: {
    uuid: UUID,
    'date-time': (text: string) => DATE_TIME.test(text) && isReal(text),
    'date-or-date-time': true,
    'date-or-date-time-or-timestamp': true,
    'date-or-date-time-or-rfc2822': true,
  },
})
ajv.addSchema(document, 'api')

const pointer = (...parts: string[]) =>
  `api#/${parts
    .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map(encodeURIComponent)
    .join('/')}`

const validators = new Map<string, ValidateFunction | null>()

/** Returns null if the answer has no body. */
function validatorOf({ id, method, path }: Operation, status: number): ValidateFunction | null {
  const key = `${id} ${status}`
  const known = validators.get(key)
  if (known !== undefined) return known
  const place = ['paths', path, method.toLowerCase(), 'responses', String(status)]
  const raw = document.paths[path]?.[method.toLowerCase()]?.responses[status]
  const isShared = raw?.$ref !== undefined
  const schema = raw && resolveAnswer(raw).content?.['application/json']?.schema
  const at = isShared ? ['components', 'responses', raw.$ref?.split('/').at(-1) ?? ''] : place
  const made = schema ? ajv.compile({ $ref: pointer(...at, 'content', 'application/json', 'schema') }) : null
  validators.set(key, made)
  return made
}

/** The parts of an answer that are checked. */
interface Seen {
  status: number
  contentType: string | undefined
  /** The body as it was received. */
  text: string
}

/**
 * Checks an answer against the API document.
 * @returns the fault, or undefined if the answer is correct
 */
export function faultOf(operation: Operation, answer: Seen): string | undefined {
  const { status, text } = answer
  if (!operation.statuses.includes(status)) return `the document does not list ${status}`
  const validate = validatorOf(operation, status)
  if (!validate) return text === '' ? undefined : 'there is a body where there should be none'
  return faultOfBody(validate, answer)
}

const validateErrors = ajv.compile({ $ref: pointer('components', 'schemas', 'Errors') })

/**
 * Checks an answer of the API to a request that belongs to no operation.
 * @returns the fault, or undefined if the answer is correct or the path is not below `/api`
 */
export function faultOfStray(method: string, path: string, answer: Seen): string | undefined {
  if (method === 'HEAD') return answer.text === '' ? undefined : 'HEAD has a body'
  if (!/^\/api(\/|$)/.test(path) || answer.status < 300) return undefined
  return faultOfBody(validateErrors, answer)
}

function faultOfBody(validate: ValidateFunction, { contentType, text }: Seen): string | undefined {
  if (!contentType?.startsWith('application/json')) return `the content type is ${contentType}`
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return 'the body is not JSON'
  }
  return validate(body) ? undefined : ajv.errorsText(validate.errors).slice(0, 2000)
}
