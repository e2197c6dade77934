import { Type } from 'typebox'
import { recordingObject } from '../wire-objects.ts'
import { type RoomMethod, roomMethod } from './room-method.ts'

const OnRecording = Type.Object({ recording_id: Type.String({ minLength: 1, maxLength: 100 }) })

/** Methods that start, pause and stop recordings of the session. */
export const recordingMethods: Readonly<Record<string, RoomMethod>> = {
  'video.recording.start': roomMethod(Type.Object({}), async ({ session, reply }) => {
    const recording = await session.recordings.start()
    reply({ recording: recordingObject(recording) })
  }),
  'video.recording.stop': roomMethod(OnRecording, ({ session, params }) => {
    session.recordings.stop(params.recording_id)
  }),
  'video.recording.pause': roomMethod(OnRecording, ({ session, params }) =>
    session.recordings.pause(params.recording_id),
  ),
  'video.recording.resume': roomMethod(OnRecording, ({ session, params }) =>
    session.recordings.resume(params.recording_id),
  ),
  'video.recording.list': roomMethod(Type.Object({}), ({ session, reply }) =>
    reply({ recordings: session.recordings.all.map(recordingObject) }),
  ),
}
