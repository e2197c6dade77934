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
      description: 'How your system calls the user. A subscriber is made at the first use.',
    }),
    expire_at: ExpireAt,
  },
  { description: 'Whom the tokens are for.' },
)

export const SubscriberTokens = Answer(
  {
    subscriber_id: Uuid({ description: 'Id of the subscriber.' }),
    token: Type.String({ description: 'Access token: the credential of the user (Bearer).' }),
    refresh_token: Type.String({ description: 'Makes new tokens; lives five minutes longer.' }),
  },
  { description: 'Tokens of a subscriber.' },
)

export const RefreshTokensBody = Type.Object(
  { refresh_token: Text({ minLength: 1, maxLength: 8192, description: 'The refresh token.' }) },
  { description: 'What to renew.' },
)

export const RefreshedTokens = Answer(
  {
    token: Type.String({ description: 'The new access token; lives two hours.' }),
    refresh_token: Type.String({ description: 'The new refresh token; lives two hours and five minutes.' }),
  },
  { description: 'New tokens of a subscriber.' },
)

/** A guest sees this many addresses at most. */
export const ALLOWED_ADDRESSES_MAX = 10

export const CreateGuestTokenBody = Type.Object(
  {
    allowed_addresses: Type.Array(Uuid({ description: 'Id of an address.' }), {
      minItems: 1,
      description: `The addresses the guest may see, ${ALLOWED_ADDRESSES_MAX} at most.`,
    }),
    expire_at: ExpireAt,
  },
  { description: 'What a guest may see.' },
)

export const GuestToken = Answer(
  { token: Type.String({ description: 'The credential of the guest (Bearer).' }) },
  { description: 'A guest token.' },
)

export const Address = Answer(
  {
    id: Uuid({ description: 'Id of the address.' }),
    name: Type.String({ description: 'Name of the room or conference, or reference of the subscriber.' }),
    display_name: Type.String({ description: 'Title for people.' }),
    type: OneOf(['room', 'subscriber'], { description: 'What answers there. A conference is a room.' }),
    cover_url: Nullable(Type.String({ description: 'A picture to show in its place.' })),
    preview_url: Nullable(Type.String({ description: 'A moving preview, while a session is in progress.' })),
    locked: Type.Boolean({ description: 'Nobody can join now.' }),
    channels: Answer(
      {
        audio: Type.Optional(Type.String({ description: 'Where to call with sound alone.' })),
        video: Type.Optional(Type.String({ description: 'Where to call with picture and sound.' })),
        messaging: Type.Optional(Type.String({ description: 'Where to write to.' })),
      },
      { description: 'Ways to reach it.' },
    ),
    created_at: Timestamp({ description: 'When it was made.' }),
  },
  { description: 'Something of the project that can be called.' },
)
export type Address = Static<typeof Address>

export const ListAddressesQuery = Type.Object({
  type: Type.Optional(OneOf(['room', 'subscriber'], { description: 'Only addresses of this type.' })),
  ...pagingFields,
})
