import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Timestamp, Uuid } from './building-blocks.ts'

/** Every scope that an API token can have. */
export const SCOPES = [
  'calling',
  'chat',
  'fax',
  'management',
  'messaging',
  'numbers',
  'pubsub',
  'storage',
  'tasking',
  'video',
] as const
export type Scope = (typeof SCOPES)[number]

const Scopes = Type.Array(OneOf(SCOPES, { description: 'A scope.', examples: ['video'] }), {
  minItems: 1,
  examples: [['video']],
  description:
    'What the token may be used for, in the order of the alphabet. `management` decides about users and API tokens.',
})

const TokenName = Type.String({
  // Control characters, as in a line break, would spoil lists.
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
  'x-well-formed': true,
  minLength: 1,
  maxLength: 200,
  examples: ['Back end'],
  description: 'What the token is for, in your words.',
})

const tokenFields = {
  id: Uuid({ description: 'Id of the token.' }),
  name: TokenName,
  scopes: Scopes,
  last_used_at: Nullable(Timestamp({ description: 'When it was used last, to the minute; null for never.' })),
  created_at: Timestamp({ description: 'When it was made.' }),
}

export const ApiToken = Answer(tokenFields, {
  title: 'ApiToken',
  description: 'An API token of the project.',
})
export type ApiToken = Static<typeof ApiToken>

export const FreshApiToken = Answer(
  {
    ...tokenFields,
    token: Type.String({
      examples: ['PT0123456789abcdef0123456789abcdef0123456789abcdef'],
      description: 'The token itself. It is shown only now: its hash alone is kept.',
    }),
  },
  { title: 'FreshApiToken', description: 'A new API token.' },
)

export const ApiTokens = Answer(
  { data: Type.Array(ApiToken, { description: 'Oldest first.' }) },
  { title: 'ApiTokens', description: 'The API tokens of the project.' },
)

export const CreateApiTokenBody = Type.Object(
  { name: TokenName, scopes: Scopes },
  { title: 'CreateApiToken', description: 'What the token is for.' },
)
