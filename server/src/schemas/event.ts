import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Timestamp, Uuid } from './building-blocks.ts'

export const Event = Answer(
  {
    id: Uuid({ description: 'Id of the event.' }),
    project_id: Type.String({ description: 'The project it happened in.' }),
    room_id: Nullable(Uuid({ description: 'The room it is about.' })),
    room_session_id: Nullable(Uuid({ description: 'The session it is about.' })),
    room_recording_id: Nullable(Uuid({ description: 'The recording it is about.' })),
    room_participant_id: Nullable(Uuid({ description: 'The member it is about.' })),
    level: OneOf(['info', 'warning', 'error'], { description: 'How serious it is.' }),
    name: Type.String({ description: 'What happened, such as `room.started`.' }),
    payload: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Details.',
    }),
    created_at: Timestamp({ description: 'When it happened.' }),
  },
  { description: 'One entry of the history of a session or a recording.' },
)
export type Event = Static<typeof Event>
