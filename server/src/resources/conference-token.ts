import { type Static, Type } from 'typebox'
import { Answer, Nullable, Uuid } from './building-blocks.ts'

export const ConferenceToken = Answer(
  {
    id: Uuid({ description: 'Id of the token; it stays when the token is reset.' }),
    name: Nullable(
      Type.String({ examples: ['guest'], description: 'Whom it is for: `moderator` or `guest`.' }),
    ),
    token: Type.String({
      examples: ['vpt_0f6c3b2d9a8e47d1b5c04a7e6f92d813'],
      description: 'What the client connects with. Whoever has it can join.',
    }),
    url: Type.String({
      examples: ['https://meet.example.org/c/town-hall#vpt_0f6c3b2d9a8e47d1b5c04a7e6f92d813'],
      description:
        'Link of the page on which people join with it (an addition of Parley). It works as long as the token does.',
    }),
    scopes: Type.Array(Type.String(), {
      examples: [['room.self.audio_mute', 'room.self.audio_unmute']],
      description: 'What those who join with it may do.',
    }),
  },
  { title: 'ConferenceToken', description: 'A secret that lets into a conference until it is reset.' },
)
export type ConferenceToken = Static<typeof ConferenceToken>
