import type { Static } from 'typebox'
import { answerFields } from './answers.ts'
import { Answer } from './building-blocks.ts'
import { EVENT_NAMES, eventsInWords } from './event-names.ts'
import { anyText, json, moment, oneOf, uuid } from './fields.ts'
import type { RecordOf } from './records.ts'

/** The fields of an event. An event is never changed once it is written. */
export const eventFields = {
  id: uuid({ description: 'Id of the event.', shown: ['event'] }),
  project_id: anyText({
    description: 'The project it happened in.',
    examples: ['6f1f2c9e-5a60-4c8e-9d0e-2b6a54a9a001'],
    shown: ['event'],
  }),
  room_id: uuid({ default: null, description: 'The room it is about.', shown: ['event'] }),
  room_session_id: uuid({ default: null, description: 'The session it is about.', shown: ['event'] }),
  room_recording_id: uuid({ default: null, description: 'The recording it is about.', shown: ['event'] }),
  room_participant_id: uuid({ default: null, description: 'The member it is about.', shown: ['event'] }),
  level: oneOf(['info', 'warning', 'error'], { description: 'How serious it is.', shown: ['event'] }),
  name: oneOf(EVENT_NAMES, {
    description: `What happened.\n\n${eventsInWords()}`,
    examples: ['room.started'],
    shown: ['event'],
  }),
  payload: json<Record<string, unknown>>()({
    description: 'Details.',
    examples: [{ reason: 'left' }],
    shown: ['event'],
  }),
  created_at: moment({ description: 'When it happened.', shown: ['event'] }),
}

/** An event as it is stored. */
export type EventRecord = RecordOf<typeof eventFields>

export const Event = Answer(answerFields(eventFields, 'event'), {
  title: 'Event',
  description: 'One entry of the history of a session or a recording.',
})
export type Event = Static<typeof Event>
