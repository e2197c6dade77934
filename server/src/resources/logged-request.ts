import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Text, Timestamp } from './building-blocks.ts'
import { pagingFields } from './paging.ts'

/** Requests to the API as the request log of the dashboard shows them. */

/** Methods of the API. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const
const TEXT_MAX_LENGTH = 200

export const LoggedRequestsQuery = Type.Object({
  method: Type.Optional(
    OneOf(METHODS, { examples: ['POST'], description: 'Only requests with this method.' }),
  ),
  status: Type.Optional(
    OneOf(['2xx', '3xx', '4xx', '5xx'], {
      examples: ['4xx'],
      description: 'Only requests that were answered with a status of this class.',
    }),
  ),
  text: Type.Optional(
    Text({
      maxLength: TEXT_MAX_LENGTH,
      examples: ['room_tokens'],
      description:
        'Only requests with this text in path, request id, name of the credentials or error code, in small or capital letters.',
    }),
  ),
  ...pagingFields,
})

export const LoggedRequest = Answer(
  {
    id: Type.String({
      examples: ['417'],
      description: 'Its place in the log, counted from the first request.',
    }),
    request_id: Type.String({
      examples: ['9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11'],
      description: 'What the answer had in `x-request-id`.',
    }),
    time: Timestamp({ description: 'When the request came.' }),
    method: Type.String({ examples: ['POST'], description: 'Its method.' }),
    path: Type.String({
      examples: ['/api/video/rooms?page_size=50'],
      description:
        'Its path and query, up to 200 bytes. Of parameters that may carry a secret the value is replaced by `***`.',
    }),
    status: Type.Integer({ examples: [201], description: 'Status of the answer.' }),
    duration_ms: Type.Number({
      examples: [4.2],
      description: 'Time to the end of the answer, in milliseconds.',
    }),
    credential_kind: OneOf(['api-token', 'user', 'end-user'], {
      examples: ['api-token'],
      description: 'What it came with: an API token, the session of a user, or a token of an end user.',
    }),
    credential_name: Nullable(
      Type.String({
        examples: ['ci'],
        description: 'Name of the API token or of the user; null for end users.',
      }),
    ),
    error_code: Nullable(
      Type.String({
        examples: ['not_unique_within_project'],
        description: 'Code of the error; null if it was not refused.',
      }),
    ),
  },
  { title: 'LoggedRequest', description: 'A request to the API that was answered.' },
)
export type LoggedRequest = Static<typeof LoggedRequest>
