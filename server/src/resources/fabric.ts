import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Optional, Text, Timestamp, Uuid } from './building-blocks.ts'
import { pagingFields } from './paging.ts'

const ExpireAt = Optional(
  Type.Integer({
    minimum: 0,
    maximum: 253_402_300_799,
    description: 'When the token expires, in Unix seconds.',
    examples: [1_893_456_000],
  }),
)

export const CreateSubscriberTokensBody = Type.Object(
  {
    reference: Text({
      minLength: 1,
      maxLength: 300,
      examples: ['ada@example.org'],
      description: 'How your system calls the user. A subscriber is made at the first use.',
    }),
    expire_at: ExpireAt,
  },
  {
    title: 'CreateSubscriberToken',
    description: 'Whom the tokens are for.',
    examples: [{ reference: 'ada@example.org' }],
  },
)

export const SubscriberTokens = Answer(
  {
    subscriber_id: Uuid({ description: 'Id of the subscriber.' }),
    token: Type.String({
      examples: ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl'],
      description: 'Access token: the credential of the user (Bearer).',
    }),
    refresh_token: Type.String({
      examples: ['eyJhbGciOiJIUzI1NiJ9.eyJyZWYiOiJhZGEifQ.c2lnbmF0dXJl'],
      description: 'Makes new tokens, once; lives five minutes longer.',
    }),
  },
  { title: 'SubscriberTokens', description: 'Tokens of a subscriber.' },
)

export const RefreshTokensBody = Type.Object(
  {
    refresh_token: Text({
      minLength: 1,
      maxLength: 8192,
      examples: ['eyJhbGciOiJIUzI1NiJ9.eyJyZWYiOiJhZGEifQ.c2lnbmF0dXJl'],
      description: 'The refresh token.',
    }),
  },
  { title: 'RefreshSubscriberToken', description: 'What to renew.' },
)

export const RevokeSubscriberBody = Type.Object(
  {
    subscriber_id: Optional(Uuid({ description: 'Id of the subscriber.' })),
    reference: Optional(
      Text({
        minLength: 1,
        maxLength: 300,
        examples: ['ada@example.org'],
        description: 'How your system calls the user.',
      }),
    ),
  },
  {
    title: 'RevokeSubscriberTokens',
    description: 'Whose tokens are to be void: one of the two.',
    examples: [{ reference: 'ada@example.org' }],
  },
)
export type RevokeSubscriberBody = Static<typeof RevokeSubscriberBody>

export const RefreshedTokens = Answer(
  {
    token: Type.String({
      examples: ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl'],
      description: 'The new access token; lives two hours.',
    }),
    refresh_token: Type.String({
      examples: ['eyJhbGciOiJIUzI1NiJ9.eyJyZWYiOiJhZGEifQ.c2lnbmF0dXJl'],
      description: 'The new refresh token; lives two hours and five minutes.',
    }),
  },
  { title: 'RefreshedTokens', description: 'New tokens of a subscriber.' },
)

/** Maximum number of addresses that a guest sees. */
const ALLOWED_ADDRESSES_MAX = 10

export const CreateGuestTokenBody = Type.Object(
  {
    allowed_addresses: Type.Array(Uuid({ description: 'Id of an address.' }), {
      minItems: 1,
      maxItems: ALLOWED_ADDRESSES_MAX,
      description: `The addresses the guest may see, ${ALLOWED_ADDRESSES_MAX} at most.`,
      'x-error-codes': { maxItems: 'allowed_address_limit_exceeded' },
    }),
    expire_at: ExpireAt,
  },
  { title: 'CreateGuestToken', description: 'What a guest may see.' },
)

export const GuestToken = Answer(
  {
    token: Type.String({
      examples: ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl'],
      description: 'The credential of the guest (Bearer).',
    }),
  },
  { title: 'GuestToken', description: 'A guest token.' },
)

export const Address = Answer(
  {
    id: Uuid({ description: 'Id of the address.' }),
    name: Type.String({
      examples: ['standup'],
      description: 'Name of the room or conference, or reference of the subscriber.',
    }),
    display_name: Type.String({ examples: ['Daily stand-up'], description: 'Title for people.' }),
    type: OneOf(['room', 'subscriber'], { description: 'What answers there. A conference is a room.' }),
    cover_url: Nullable(
      Type.String({
        examples: ['https://example.org/cover.png'],
        description: 'A picture to show in its place.',
      }),
    ),
    preview_url: Nullable(
      Type.String({
        examples: [
          'https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/previews/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112.mp4?signature=mN3xkUq8',
        ],
        description: 'Preview video of the session in progress, as a room session has it.',
      }),
    ),
    locked: Type.Boolean({ description: 'Nobody can join now.' }),
    channels: Answer(
      {
        audio: Type.Optional(
          Type.String({
            examples: ['/public/standup?channel=audio'],
            description: 'Where to call with sound alone.',
          }),
        ),
        video: Type.Optional(
          Type.String({
            examples: ['/public/standup?channel=video'],
            description: 'Where to call with picture and sound.',
          }),
        ),
        messaging: Type.Optional(
          Type.String({ examples: ['/public/standup?channel=messaging'], description: 'Where to write to.' }),
        ),
      },
      {
        description: 'Ways to reach it.',
        examples: [{ audio: '/public/standup?channel=audio', video: '/public/standup?channel=video' }],
      },
    ),
    created_at: Timestamp({ description: 'When it was made.' }),
  },
  { title: 'Address', description: 'Something of the project that can be called.' },
)
export type Address = Static<typeof Address>

export const ListAddressesQuery = Type.Object({
  type: Type.Optional(OneOf(['room', 'subscriber'], { description: 'Only addresses of this type.' })),
  name: Type.Optional(
    Text({ maxLength: 300, description: 'Only addresses of exactly this name.', examples: ['standup'] }),
  ),
  display_name: Type.Optional(
    Text({
      maxLength: 300,
      description: 'Only addresses of exactly this display name.',
      examples: ['Daily stand-up'],
    }),
  ),
  sort_by: Type.Optional(
    OneOf(['created_at', 'name'], { description: 'What orders the list. Without it, `created_at` does.' }),
  ),
  sort_order: Type.Optional(
    OneOf(['asc', 'desc'], {
      description: 'Without it, times are listed newest first and names from A to Z.',
    }),
  ),
  ...pagingFields,
})
