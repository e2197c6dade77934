import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Timestamp, Uuid } from './building-blocks.ts'

export const Event = Answer(
  {
    id: Uuid({ description: 'Id of the event.' }),
    project_id: Type.String({
      examples: ['6f1f2c9e-5a60-4c8e-9d0e-2b6a54a9a001'],
      description: 'The project it happened in.',
    }),
    room_id: Nullable(Uuid({ description: 'The room it is about.' })),
    room_session_id: Nullable(Uuid({ description: 'The session it is about.' })),
    room_recording_id: Nullable(Uuid({ description: 'The recording it is about.' })),
    room_participant_id: Nullable(Uuid({ description: 'The member it is about.' })),
    level: OneOf(['info', 'warning', 'error'], { description: 'How serious it is.' }),
    name: Type.String({ examples: ['room.started'], description: 'What happened, such as `room.started`.' }),
    payload: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      examples: [{ reason: 'left' }],
      description: 'Details.',
    }),
    created_at: Timestamp({ description: 'When it happened.' }),
  },
  { title: 'Event', description: 'One entry of the history of a session or a recording.' },
)
export type Event = Static<typeof Event>
