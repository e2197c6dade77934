import { STATUS_CODES } from 'node:http'
import { catalogue, type ErrorCode } from '../../errors/catalogue.ts'
import { ErrorBody } from '../../schemas/error.ts'
import { ERROR_PAGE, errorType } from '../conventions/errors.ts'

/** What the statuses of error answers mean. */
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request cannot be read, or something required is missing.',
  401: 'The credentials are missing, wrong or expired.',
  403: 'The API token does not have the scope of this operation.',
  404: 'The project has no such thing. What belongs to another project is not there either.',
  422: 'The request can be read, but a value in it is not accepted. All that are wrong are told at once.',
  429: 'Too many requests in this minute, or too many failed sign-ins from this address.',
  500: 'Something went wrong on the side of the server. It is safe to try again later.',
}

/** Headers that come with the answers of a status. */
const HEADERS: Readonly<Record<number, Record<string, object>>> = {
  401: {
    'WWW-Authenticate': { type: 'string', description: 'The kind of credentials that is wanted.' },
  },
  429: {
    'Retry-After': { type: 'integer', minimum: 1, description: 'Seconds to wait.', examples: [17] },
    'RateLimit-Limit': { type: 'integer', description: 'Requests in a minute.', examples: [3000] },
    'RateLimit-Remaining': { type: 'integer', description: 'What is left of them.', examples: [0] },
    'RateLimit-Reset': { type: 'integer', description: 'Seconds until they are all back.', examples: [17] },
  },
}

/** Fields that go well into the example of a code. */
const ATTRIBUTES: Partial<Record<ErrorCode, string>> = {
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

/** The answer of one status: the error body with the codes that can stand in it, each with an example. */
export function errorAnswer(status: number, codes: readonly ErrorCode[]): object {
  return {
    description: `${MEANINGS[status] ?? STATUS_CODES[status]} Codes: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    headers: HEADERS[status],
    content: {
      'application/json': {
        schema: {
          allOf: [
            ErrorBody,
            {
              type: 'object',
              properties: {
                errors: {
                  type: 'array',
                  items: { type: 'object', properties: { code: { type: 'string', enum: codes } } },
                },
              },
            },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, example(status, code)])),
      },
    },
  }
}

function example(status: number, code: ErrorCode): object {
  const entry = {
    type: errorType(status, code),
    code,
    message: catalogue[code],
    attribute: status === 400 && code === 'not_a_hash' ? null : (ATTRIBUTES[code] ?? null),
    url: `https://meet.example.org${ERROR_PAGE}#${code}`,
  }
  return { summary: catalogue[code].replaceAll('`', ''), value: { errors: [entry] } }
}
