import { Type } from 'typebox'
import { Refusal } from '../../errors/refusal.ts'
import { checkLayoutName } from '../../rooms/sessions/layout-wish.ts'
import type { LiveSession } from '../../rooms/sessions/live-session.ts'
import type { Member } from '../../rooms/sessions/member.ts'
import { checkPosition } from '../../rooms/sessions/requested-positions.ts'
import { type MethodFacts, memberOf, type RoomMethod, roomMethod } from './room-method.ts'

/** Positions by member id. */
const Positions = Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 100 }), {
  maxProperties: 1000,
})

const POSITION_FACTS: MethodFacts = {
  events: ['video.member.updated', 'video.layout.changed'],
  history: ['position.requested'],
  since: '0.3.0',
}

/** Methods that arrange the composed picture. They are answered when the picture is arranged so. */
export const layoutMethods: Readonly<Record<string, RoomMethod>> = {
  'video.set_layout': roomMethod(
    Type.Object({
      name: Type.String({ maxLength: 100 }),
      positions: Type.Optional(Type.Union([Positions, Type.Null()])),
    }),
    async ({ session, params, reply }) => {
      const { name } = params
      checkLayoutName(name)
      const positions = memberPositions(session, params.positions ?? {})
      session.arrangement.setLayout(name, positions)
      await session.picture.confirmed()
      reply()
    },
    {
      events: ['video.member.updated', 'video.layout.changed', 'video.room.updated'],
      history: ['layout.changed', 'position.requested'],
      since: '0.3.0',
    },
  ),
  'video.set_position': roomMethod(
    Type.Object({ positions: Positions }),
    async ({ session, params, reply }) => {
      const positions = memberPositions(session, params.positions)
      session.arrangement.setPositions(positions)
      await session.picture.confirmed()
      reply()
    },
    POSITION_FACTS,
  ),
  'video.member.set_position': roomMethod(
    Type.Object({
      member_id: Type.String({ minLength: 1, maxLength: 100 }),
      position: Type.String({ maxLength: 100 }),
    }),
    async ({ session, params, reply }) => {
      const positions = memberPositions(session, { [params.member_id]: params.position })
      session.arrangement.setPositions(positions)
      await session.picture.confirmed()
      reply()
    },
    POSITION_FACTS,
  ),
}

/** @throws Refusal `invalid_parameter`, `provided_id_is_unrecognized` */
function memberPositions(
  session: LiveSession,
  positions: Readonly<Record<string, string>>,
): Map<Member, string> {
  const requested = new Map<Member, string>()
  for (const [id, position] of Object.entries(positions)) {
    checkPosition(position)
    const member = memberOf(session, id)
    if (member.isAudience)
      throw new Refusal('provided_id_is_unrecognized', 'The audience has no place in the picture.')
    requested.set(member, position)
  }
  return requested
}
