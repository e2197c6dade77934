import { Type } from 'typebox'
import { recordingObject } from '../wire-objects.ts'
import { type RoomMethod, roomMethod } from './room-method.ts'

const OnRecording = Type.Object({ recording_id: Type.String({ minLength: 1, maxLength: 100 }) })

/** Methods that start, pause and stop recordings of the session. */
export const recordingMethods: Readonly<Record<string, RoomMethod>> = {
  'video.recording.start': roomMethod(
    Type.Object({}),
    async ({ session, reply }) => {
      await session.recordings.start((recording) => reply({ recording: recordingObject(recording) }))
    },
    {
      events: ['video.recording.started', 'video.room.updated'],
      history: ['recording.started'],
      since: '0.1.0',
    },
  ),
  'video.recording.stop': roomMethod(
    OnRecording,
    ({ session, params }) => {
      session.recordings.stop(params.recording_id)
    },
    {
      events: ['video.recording.ended', 'video.room.updated'],
      history: ['recording.ended', 'recording.completed'],
      since: '0.1.0',
    },
  ),
  'video.recording.pause': roomMethod(
    OnRecording,
    ({ session, params, reply }) => session.recordings.pause(params.recording_id, reply),
    { events: ['video.recording.updated'], history: ['recording.paused'], since: '0.1.0' },
  ),
  'video.recording.resume': roomMethod(
    OnRecording,
    ({ session, params, reply }) => session.recordings.resume(params.recording_id, reply),
    { events: ['video.recording.updated'], history: ['recording.resumed'], since: '0.1.0' },
  ),
  'video.recording.list': roomMethod(
    Type.Object({}),
    ({ session, reply }) => reply({ recordings: session.recordings.all.map(recordingObject) }),
    { events: [], since: '0.1.0' },
  ),
}
