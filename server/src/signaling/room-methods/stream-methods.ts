import { Type } from 'typebox'
import { streamObject } from '../wire-objects.ts'
import { type RoomMethod, roomMethod } from './room-method.ts'

/** Methods that start and stop streams of the session to other servers. */
export const streamMethods: Readonly<Record<string, RoomMethod>> = {
  'video.stream.start': roomMethod(
    Type.Object({ url: Type.String({ minLength: 1, maxLength: 2048 }) }),
    async ({ session, params, reply }) => {
      const stream = await session.streams.start(params.url)
      reply({ stream: streamObject(stream) })
    },
    { events: ['video.stream.started', 'video.room.updated'], history: ['stream.started'], since: '0.1.0' },
  ),
  'video.stream.stop': roomMethod(
    Type.Object({ stream_id: Type.String({ minLength: 1, maxLength: 100 }) }),
    ({ session, params, reply }) => {
      session.streams.stop(params.stream_id)
      reply()
    },
    { events: ['video.stream.ended', 'video.room.updated'], history: ['stream.ended'], since: '0.1.0' },
  ),
  'video.stream.list': roomMethod(
    Type.Object({}),
    ({ session, reply }) => reply({ streams: session.streams.all.map((stream) => streamObject(stream)) }),
    { events: [], since: '0.1.0' },
  ),
}
