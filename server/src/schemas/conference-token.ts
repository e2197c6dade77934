import { type Static, Type } from 'typebox'
import { Answer, Nullable, Uuid } from './building-blocks.ts'

export const ConferenceToken = Answer(
  {
    id: Uuid({ description: 'Id of the token; it stays when the token is reset.' }),
    name: Nullable(Type.String({ description: 'Whom it is for: `moderator` or `guest`.' })),
    token: Type.String({ description: 'What the client connects with. Whoever has it can join.' }),
    scopes: Type.Array(Type.String(), { description: 'What those who join with it may do.' }),
  },
  { description: 'A secret that lets into a conference until it is reset.' },
)
export type ConferenceToken = Static<typeof ConferenceToken>
