import { type Static, Type } from 'typebox'
import { Answer, Nullable, Text, Timestamp, Uuid } from './building-blocks.ts'
import { pagingFields } from './paging.ts'

/** Rooms and conferences as the dashboard lists them, and how they are looked for. */

export const SearchRoomsQuery = Type.Object({
  beginning: Type.Optional(
    Text({
      maxLength: 200,
      examples: ['town'],
      description:
        'Only those whose name or title begins so. Small and capital letters from A to Z count as the same.',
    }),
  ),
  ...pagingFields,
})

export const FoundRoom = Answer(
  {
    id: Uuid({ description: 'Id of the room or conference.' }),
    name: Type.String({ examples: ['town-hall'], description: 'Its name.' }),
    display_name: Nullable(Type.String({ examples: ['Town hall'], description: 'Its title for people.' })),
    join_from: Nullable(Timestamp({ description: 'Nobody can join before.' })),
    join_until: Nullable(Timestamp({ description: 'Nobody can join after.' })),
    created_at: Timestamp({ description: 'When it was created.' }),
    active_session_id: Nullable(Uuid({ description: 'Id of the session in progress; null without one.' })),
  },
  { title: 'FoundRoom', description: 'A room or conference in a list.' },
)
export type FoundRoom = Static<typeof FoundRoom>
