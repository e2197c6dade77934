import { type Static, Type } from 'typebox'
import { Answer, Meta, Optional, Text } from './building-blocks.ts'

export const CHANNELS_MAX = 500
export const CHANNEL_NAME_MAX = 250

/** Sets more exact error codes for keywords of a schema. */
const codes = (byKeyword: Record<string, string>) => ({ 'x-error-codes': byKeyword })

const access = (description: string) => ({
  type: ['boolean', 'null'],
  default: false,
  description,
  examples: [true],
  ...codes({ type: 'not_a_boolean' }),
})

/** Keyed by channel name. */
export interface Channels {
  [name: string]: { read?: boolean | null; write?: boolean | null }
}

const Channels = Type.Unsafe<Channels>({
  type: 'object',
  description: `Names of channels, ${CHANNELS_MAX} at most, of up to ${CHANNEL_NAME_MAX} characters each. They must not start with \`sw_\` and have no control characters.`,
  examples: [{ news: { read: true }, lobby: { read: true, write: true } }],
  minProperties: 1,
  maxProperties: CHANNELS_MAX,
  ...codes({ minProperties: 'no_channel_specified', maxProperties: 'channel_size_limit_exceeded' }),
  propertyNames: {
    type: 'string',
    minLength: 1,
    maxLength: CHANNEL_NAME_MAX,
    pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
    'x-well-formed': true,
    not: { pattern: '^sw_' },
    ...codes({ maxLength: 'channel_name_size_limit_exceeded', not: 'channel_name_is_reserved' }),
  },
  additionalProperties: {
    type: 'object',
    description: 'What the member may do in the channel: at least one of the two must be there.',
    examples: [{ read: true, write: false }],
    properties: {
      read: access('The member sees what is written, and who is there.'),
      write: access('The member may write.'),
    },
    'x-needs-one-of': ['read', 'write'],
    ...codes({ type: 'not_a_hash', 'x-needs-one-of': 'channel_has_missing_properties' }),
  },
})

export const TTL_MAX_MINUTES = 43_200

export const CreateChatTokenBody = Type.Object(
  {
    ttl: Type.Integer({
      minimum: 1,
      maximum: TTL_MAX_MINUTES,
      description: 'How long the token can be used, in minutes. At most 30 days.',
      examples: [60],
    }),
    channels: Channels,
    member_id: Optional(
      Text({
        minLength: 1,
        maxLength: 250,
        description: 'Who the member is, to the others. A random UUID unless given.',
        examples: ['ada'],
      }),
    ),
    state: Optional(
      Type.Unsafe<Record<string, unknown>>({
        ...Meta({
          description: 'What the others see of the member. At most 2,000 characters of JSON.',
          examples: [{ mood: 'curious' }],
        }),
        ...codes({ 'x-max-serialized-length': 'state_size_limit_exceeded' }),
      }),
    ),
  },
  { title: 'CreateChatToken', description: 'What a member may do in which channels.' },
)
export type CreateChatTokenBody = Static<typeof CreateChatTokenBody>

export const ChatToken = Answer(
  {
    token: Type.String({
      description: 'What the client connects with.',
      examples: ['eyJhbGciOiJIUzUxMiIsInR5cCI6IkNIVCJ9.eyJzdWIiOiI5ZDNmIn0.c2lnbmF0dXJl'],
    }),
  },
  { title: 'ChatToken', description: 'A chat token.' },
)
