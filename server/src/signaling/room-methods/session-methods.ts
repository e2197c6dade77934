import { Type } from 'typebox'
import { AVAILABLE_LAYOUTS } from '../../rooms/layouts/layouts.ts'
import { type MethodFacts, type RoomMethod, roomMethod } from './room-method.ts'

const Nothing = Type.Object({})

const READS: MethodFacts = { events: [], since: '0.1.0' }

const lock = (locked: boolean): RoomMethod =>
  roomMethod(
    Nothing,
    ({ session, reply }) => {
      reply()
      session.setLocked(locked)
    },
    { events: ['video.room.updated'], since: '0.1.0' },
  )

/** Methods that concern the room as a whole. */
export const sessionMethods: Readonly<Record<string, RoomMethod>> = {
  'video.list_available_layouts': roomMethod(
    Nothing,
    ({ reply }) => reply({ layouts: AVAILABLE_LAYOUTS }),
    READS,
  ),
  'video.get_meta': roomMethod(Nothing, ({ session, reply }) => reply({ meta: session.meta }), READS),
  'video.lock': lock(true),
  'video.unlock': lock(false),
}
