import type { TSchema } from 'typebox'
import { type PublicErrorCode, publicCode, publicErrors } from '../../errors/catalogue.ts'
import type { Refusal, RefusalEntry } from '../../errors/refusal.ts'
import { CompatibilityError } from '../../resources/compatibility.ts'
import { ErrorBody } from '../../resources/error.ts'

/** Path of the page that explains all codes. */
export const ERROR_PAGE = '/errors'

/** An error with its HTTP status, which may differ from that of its kind. */
export interface HttpError {
  error: Refusal
  status: number
  type: string
  /** Prefix of the URL of the error page, such as `https://meet.example.org`; may be empty. */
  origin: string
}

const pageOf = (origin: string, code: PublicErrorCode): string => `${origin}${ERROR_PAGE}#${code}`

const withAttribute = ({ attribute, message }: RefusalEntry): string =>
  attribute ? `${attribute}: ${message}` : message

/** The body of almost every error answer. */
export function usualBody({ error, type, origin }: HttpError): ErrorBody {
  return {
    errors: error.entries.map((entry) => {
      const code = publicCode(entry.code)
      const { message, attribute } = entry
      return { type, code, message, attribute, url: pageOf(origin, code) }
    }),
  }
}

/** Body of the compatibility family. It is one object, so further entries are added to its message. */
function compatibilityBody({ error, status, origin }: HttpError): CompatibilityError {
  const code = publicCode(error.code)
  return {
    code,
    message: error.entries.map(withAttribute).join(' '),
    more_info: pageOf(origin, code),
    status,
  }
}

/** Body of the family under `/api/relay/rest`. */
function relayRestBody({ error, status }: HttpError) {
  return {
    errors: error.entries.map((entry) => {
      const code = publicCode(entry.code)
      return { detail: withAttribute(entry), status: String(status), title: publicErrors[code].message, code }
    }),
  }
}

/** Error format of a family. */
interface ErrorShape {
  body: (error: HttpError) => object
  /** Schema of that body. Absent when the family serves no operation, so that the API document needs none. */
  schema?: TSchema
}

const USUAL: ErrorShape = { body: usualBody, schema: ErrorBody }

/** Families with their own error format, by the prefix of their paths. */
const OWN_SHAPES: readonly (readonly [string, ErrorShape])[] = [
  ['/api/laml', { body: compatibilityBody, schema: CompatibilityError }],
  ['/2010-04-01', { body: compatibilityBody, schema: CompatibilityError }],
  ['/api/relay/rest', { body: relayRestBody }],
]

function shapeFor(path: string): ErrorShape {
  const own = OWN_SHAPES.find(
    ([prefix]) => path.startsWith(prefix) && /^[/?#]?$/.test(path.charAt(prefix.length)),
  )
  return own ? own[1] : USUAL
}

/**
 * The body of an error answer, in the format of the requested family.
 * @param path path of the request, with or without a query
 */
export const errorBodyFor = (path: string, error: HttpError): object => shapeFor(path).body(error)

/** Schema of the error answers of a family, by the path of one of its operations. */
export const errorSchemaFor = (path: string): TSchema => shapeFor(path).schema ?? ErrorBody
