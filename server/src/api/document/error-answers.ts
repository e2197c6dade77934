import { STATUS_CODES } from 'node:http'
import { type PublicErrorCode, publicErrors } from '../../errors/catalogue.ts'
import { ERROR_PAGE, errorType } from '../conventions/errors.ts'

/** Meanings of the statuses of error answers. */
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request cannot be read, or something required is missing.',
  401: 'The credentials are missing, wrong or expired.',
  403: 'The API token does not have the scope of this operation.',
  404: 'The project has no such thing. What belongs to another project is not there either.',
  422: 'The request can be read, but a value in it is not accepted. All that are wrong are told at once.',
  429: 'Too many requests in this minute, or too many failed sign-ins from this address.',
  500: 'Something went wrong on the side of the server. It is safe to try again later.',
  503: 'The database or the disk of the server cannot be used now (an addition to the published interface). Try again in a while.',
}

/** Headers of the answers of a status. */
const HEADERS: Readonly<Record<number, Record<string, object>>> = {
  401: {
    'WWW-Authenticate': {
      type: 'string',
      description: 'The kind of credentials that is wanted.',
      examples: ['Basic realm="Parley", charset="UTF-8"'],
    },
  },
  429: {
    'Retry-After': { type: 'integer', minimum: 1, description: 'Seconds to wait.', examples: [17] },
    'RateLimit-Limit': { type: 'integer', description: 'Requests in a minute.', examples: [6000] },
    'RateLimit-Remaining': { type: 'integer', description: 'What is left of them.', examples: [0] },
    'RateLimit-Reset': { type: 'integer', description: 'Seconds until they are all back.', examples: [17] },
  },
  503: {
    'Retry-After': { type: 'integer', minimum: 1, description: 'Seconds to wait.', examples: [5] },
  },
}

/** Codes for requests that fail before routing. They use the default error body. */
const UNREADABLE: ReadonlySet<PublicErrorCode> = new Set(['header_value_too_long', 'cannot_process'])

/** Field names for the examples of codes. */
const ATTRIBUTES: Partial<Record<PublicErrorCode, string>> = {
  not_a_string: 'name',
  not_a_boolean: 'record_on_start',
  not_a_datetime: 'join_from',
  not_a_hash: 'meta',
  not_an_array_of_strings: 'permissions',
  list_contains_invalid_entries: 'permissions',
  invalid_join_until_date: 'join_until',
  not_unique_within_project: 'name',
  missing_required_parameter: 'name',
  page_token_is_invalid: 'page_token',
  page_token_required: 'page_token',
  url_failed_to_parse: 'url',
  url_is_unsafe: 'url',
  incompatible_parameters: 'Idempotency-Key',
  provided_id_is_unrecognized: 'id',
}

/**
 * Describes the answer of one status: the error body of the route with its possible codes, each with an example.
 * @param body schema of the body: a list of errors, or a single error in the compatibility family
 */
export function errorAnswer(status: number, known: readonly PublicErrorCode[], body: object): object {
  const isList = 'properties' in body && 'errors' in (body.properties as object)
  const codes = isList ? known : known.filter((one) => !UNREADABLE.has(one))
  const code = { type: 'string', enum: codes }
  const entry = { type: 'object', properties: { code } }
  const list = { type: 'object', properties: { errors: { type: 'array', items: entry } } }
  const example = isList ? listExample : singleExample
  return {
    description: `${MEANINGS[status] ?? STATUS_CODES[status]} Codes: ${codes.map((one) => `\`${one}\``).join(', ')}.`,
    headers: HEADERS[status],
    content: {
      'application/json': {
        schema: { allOf: [body, isList ? list : entry] },
        examples: Object.fromEntries(
          codes.map((one) => [
            one,
            { summary: publicErrors[one].message.replaceAll('`', ''), value: example(status, one) },
          ]),
        ),
      },
    },
  }
}

const pageOf = (code: PublicErrorCode) => `https://meet.example.org${ERROR_PAGE}#${code}`

function listExample(status: number, code: PublicErrorCode): object {
  const attribute = status === 400 && code === 'not_a_hash' ? null : (ATTRIBUTES[code] ?? null)
  return {
    errors: [
      {
        type: errorType(status, code),
        code,
        message: publicErrors[code].message,
        attribute,
        url: pageOf(code),
      },
    ],
  }
}

const singleExample = (status: number, code: PublicErrorCode): object => ({
  code,
  message: publicErrors[code].message,
  more_info: pageOf(code),
  status,
})
