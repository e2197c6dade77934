import { type Static, Type } from 'typebox'
import { answerFields } from './answers.ts'
import { bodyFields } from './bodies.ts'
import { Moment, Name, Nullable } from './building-blocks.ts'
import { pagingFields } from './paging.ts'
import { roomFields } from './room-fields.ts'
import { ActiveSession } from './room-session.ts'

/** Keyword that refuses a `join_until` before `join_from`, together with all other errors. */
export const joinWindow = { 'x-join-window': true }

const settings = bodyFields(roomFields, 'room')

export const CreateRoomBody = Type.Object(
  { name: Name({ examples: ['standup'], description: roomFields.name.description }), ...settings },
  {
    title: 'CreateRoom',
    description: 'A new room.',
    examples: [{ name: 'standup', display_name: 'Daily stand-up', max_members: 12, record_on_start: true }],
    ...joinWindow,
  },
)

/** The name in an update. It is accepted because clients send back what they received. */
export const presentName = (example: string) =>
  Type.Optional(Type.String({ examples: [example], description: 'Accepted only if it is the present name.' }))

export const UpdateRoomBody = Type.Object(
  { name: presentName('standup'), ...settings },
  {
    title: 'UpdateRoom',
    description: 'Changes to a room. A field that is absent keeps its value; null resets it to its default.',
    examples: [{ display_name: 'Weekly stand-up', max_members: 30, description: null }],
    ...joinWindow,
  },
)

export const includeActiveSession = Type.Boolean({
  default: false,
  description: 'Add `active_session`: the session in progress, or null.',
})

export const RoomQuery = Type.Object({ include_active_session: includeActiveSession })

/** Path parameter that accepts an id or a name. */
export const RoomIdOrNameParams = Type.Object({
  id: Type.String({ examples: ['standup'], description: 'Id of the room, or its name.' }),
})

export const ListRoomsQuery = Type.Object({
  include_active_session: includeActiveSession,
  starts_after: Type.Optional(Moment({ description: 'Only rooms whose `join_from` is then or later.' })),
  ends_before: Type.Optional(Moment({ description: 'Only rooms whose `join_until` is then or earlier.' })),
  ...pagingFields,
})

export const Room = Type.Object(
  { ...answerFields(roomFields, 'room'), active_session: Type.Optional(Nullable(ActiveSession)) },
  { additionalProperties: false, title: 'Room', description: 'A room: where sessions take place.' },
)
export type Room = Static<typeof Room>
