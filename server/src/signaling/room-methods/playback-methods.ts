import { Type } from 'typebox'
import { type GrantedPermissions, PERMISSIONS } from '../../rooms/permissions.ts'
import { layoutWish } from '../../rooms/sessions/layout-wish.ts'
import { playbackObject } from '../wire-objects.ts'
import { type MethodFacts, type RoomMethod, roomMethod } from './room-method.ts'

const PlaybackId = Type.String({ minLength: 1, maxLength: 100 })
const OnPlayback = Type.Object({ playback_id: PlaybackId })
/** Steps of gain, as for members. */
const Volume = Type.Number({ minimum: -50, maximum: 50 })
/** Milliseconds; a year is more than any file has. */
const LONGEST_MS = 366 * 24 * 3600 * 1000
const Position = Type.Number({ minimum: 0, maximum: LONGEST_MS })
/** Of a back end, which may do everything in the sessions of its project. */
const ALL_PERMISSIONS: GrantedPermissions = new Set(PERMISSIONS)
/** How far `video.playback.seek_relative` goes by default, in milliseconds. */
const USUAL_STEP_MS = 5000

const changes = (history: NonNullable<MethodFacts['history']>[number]): MethodFacts => ({
  events: ['video.playback.updated'],
  history: [history],
  since: '0.3.0',
})

/** Methods that play files and live transmissions into the session. */
export const playbackMethods: Readonly<Record<string, RoomMethod>> = {
  'video.playback.start': roomMethod(
    Type.Object({
      url: Type.String({ minLength: 1, maxLength: 2048 }),
      volume: Type.Optional(Volume),
      seek_position: Type.Optional(Position),
      layout: Type.Optional(Type.String({ maxLength: 100 })),
      positions: Type.Optional(
        Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 100 }), {
          maxProperties: 1000,
        }),
      ),
    }),
    ({ session, actor, params, reply }) => {
      const { url, volume = 0, seek_position: positionMs = 0 } = params
      const wish = layoutWish(params, actor?.terms.permissions ?? ALL_PERMISSIONS)
      return session.playbacks.start({ url, volume, positionMs, wish }, (playback) =>
        reply({ playback: playbackObject(playback) }),
      )
    },
    {
      events: ['video.playback.started', 'video.layout.changed'],
      history: ['playback.started'],
      since: '0.3.0',
    },
  ),
  'video.playback.pause': roomMethod(
    OnPlayback,
    ({ session, params, reply }) => session.playbacks.pause(params.playback_id, reply),
    changes('playback.paused'),
  ),
  'video.playback.resume': roomMethod(
    OnPlayback,
    ({ session, params, reply }) => session.playbacks.resume(params.playback_id, reply),
    changes('playback.resumed'),
  ),
  'video.playback.stop': roomMethod(
    OnPlayback,
    ({ session, params, reply }) => session.playbacks.stop(params.playback_id, reply),
    { events: ['video.playback.ended', 'video.layout.changed'], history: ['playback.ended'], since: '0.3.0' },
  ),
  'video.playback.set_volume': roomMethod(
    Type.Object({ playback_id: PlaybackId, volume: Volume }),
    ({ session, params, reply }) => session.playbacks.setVolume(params.playback_id, params.volume, reply),
    changes('playback.updated'),
  ),
  'video.playback.seek_absolute': roomMethod(
    Type.Object({ playback_id: PlaybackId, position: Position }),
    ({ session, params, reply }) => session.playbacks.seek(params.playback_id, params.position, reply),
    changes('playback.updated'),
  ),
  'video.playback.seek_relative': roomMethod(
    Type.Object({
      playback_id: PlaybackId,
      position: Type.Optional(Type.Number({ minimum: -LONGEST_MS, maximum: LONGEST_MS })),
    }),
    ({ session, params, reply }) =>
      session.playbacks.seekBy(params.playback_id, params.position ?? USUAL_STEP_MS, reply),
    changes('playback.updated'),
  ),
  'video.playback.list': roomMethod(
    Type.Object({}),
    ({ session, reply }) => reply({ playbacks: session.playbacks.all.map(playbackObject) }),
    { events: [], since: '0.3.0' },
  ),
}
