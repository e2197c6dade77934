import { Type } from 'typebox'
import { AVAILABLE_LAYOUTS } from '../../rooms/layouts/layouts.ts'
import { type RoomMethod, roomMethod } from './room-method.ts'

const Nothing = Type.Object({})

/** Methods that concern the room as a whole. */
export const sessionMethods: Readonly<Record<string, RoomMethod>> = {
  'video.list_available_layouts': roomMethod(Nothing, ({ reply }) => reply({ layouts: AVAILABLE_LAYOUTS })),
  'video.get_meta': roomMethod(Nothing, ({ session, reply }) => reply({ meta: session.meta })),
  'video.lock': roomMethod(Nothing, ({ session, reply }) => {
    reply()
    session.setLocked(true)
  }),
  'video.unlock': roomMethod(Nothing, ({ session, reply }) => {
    reply()
    session.setLocked(false)
  }),
}
