import { Type } from 'typebox'
import { Refusal } from '../../errors/refusal.ts'
import { REACTIONS } from '../../resources/reactions.ts'
import { AVAILABLE_LAYOUTS } from '../../rooms/layouts/layouts.ts'
import type { RoomState } from '../../rooms/sessions/session-changes.ts'
import { type MethodFacts, type RoomMethod, roomMethod } from './room-method.ts'

const Nothing = Type.Object({})

const READS: MethodFacts = { events: [], since: '0.1.0' }

const LOCKS: MethodFacts = { events: ['video.room.updated'], history: ['room.updated'], since: '0.1.0' }
const CHANGES_PICTURE: MethodFacts = {
  events: ['video.room.updated', 'video.layout.changed'],
  history: ['room.updated'],
  since: '0.3.0',
}

const setting = (settings: Partial<RoomState>, facts: MethodFacts): RoomMethod =>
  roomMethod(Nothing, ({ session, reply }) => session.changes.changeRoom(settings, reply), facts)

/** Methods that concern the room as a whole. */
export const sessionMethods: Readonly<Record<string, RoomMethod>> = {
  'video.list_available_layouts': roomMethod(
    Nothing,
    ({ reply }) => reply({ layouts: AVAILABLE_LAYOUTS }),
    READS,
  ),
  'video.get_meta': roomMethod(Nothing, ({ session, reply }) => reply({ meta: session.meta }), READS),
  'video.end': roomMethod(
    Nothing,
    ({ session, actor, reply }) => {
      reply()
      const details = actor ? { member_id: actor.id, member_name: actor.name } : {}
      void session.end('ended_by_member', details)
    },
    { events: ['video.room.ended'], history: ['room.ended'], since: '0.3.0' },
  ),
  'video.react': roomMethod(
    Type.Object({ reaction: Type.Union(REACTIONS.map((one) => Type.Literal(one))) }),
    ({ session, actor, params, reply }) => {
      if (!actor) throw new Refusal('not_permitted', 'Members react; the project itself is none.')
      session.reactions.show(actor, params.reaction, reply)
    },
    { events: ['video.member.reacted'], since: '0.3.0' },
  ),
  'video.lock': setting({ locked: true }, LOCKS),
  'video.unlock': setting({ locked: false }, LOCKS),
  'video.hide_video_muted': setting({ hide_video_muted: true }, CHANGES_PICTURE),
  'video.show_video_muted': setting({ hide_video_muted: false }, CHANGES_PICTURE),
  'video.prioritize_handraise': roomMethod(
    Type.Object({ enable: Type.Boolean() }),
    ({ session, params, reply }) =>
      session.changes.changeRoom({ prioritize_handraise: params.enable }, reply),
    CHANGES_PICTURE,
  ),
}
