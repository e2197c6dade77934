import { Type } from 'typebox'
import { metaWithout, updatedMeta } from '../../rooms/meta.ts'
import type { Member } from '../../rooms/sessions/member.ts'
import type { Meta } from '../../storage/records.ts'
import { MemberId, type MethodFacts, type RoomCall, type RoomMethod, roomMethod } from './room-method.ts'

const WholeMeta = Type.Record(Type.String(), Type.Unknown())
/** A meta of 2,000 characters has fewer keys. */
const Keys = Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 1000 })

const WithMeta = Type.Object({ meta: WholeMeta })
const WithKeys = Type.Object({ keys: Keys })
const MemberWithMeta = Type.Object({ member_id: MemberId, meta: WholeMeta })
const MemberWithKeys = Type.Object({ member_id: MemberId, keys: Keys })

const OF_ROOM: MethodFacts = { events: ['video.room.updated'], history: ['room.updated'], since: '0.3.0' }
const OF_MEMBER: MethodFacts = {
  events: ['video.member.updated'],
  history: ['member.updated'],
  since: '0.3.0',
}

/** Changes the meta of the room, then answers. */
function changeRoom({ session, reply }: RoomCall<unknown>, meta: Meta): void {
  session.changes.changeRoom({ meta }, reply)
}

/** Changes the meta of a member, then answers. */
function changeMember({ session, reply }: RoomCall<unknown>, member: Member, meta: Meta): void {
  session.changes.setMeta(member, meta, reply)
}

/** Methods that change the meta of the room and of members. The last writer wins. */
export const metaMethods: Readonly<Record<string, RoomMethod>> = {
  'video.set_meta': roomMethod(WithMeta, (call) => changeRoom(call, call.params.meta), OF_ROOM),
  'video.update_meta': roomMethod(
    WithMeta,
    (call) => changeRoom(call, updatedMeta(call.session.meta, call.params.meta)),
    OF_ROOM,
  ),
  'video.delete_meta': roomMethod(
    WithKeys,
    (call) => changeRoom(call, metaWithout(call.session.meta, call.params.keys)),
    OF_ROOM,
  ),
  'video.member.set_meta': roomMethod(
    MemberWithMeta,
    (call) => changeMember(call, call.target(), call.params.meta),
    OF_MEMBER,
  ),
  'video.member.update_meta': roomMethod(
    MemberWithMeta,
    (call) => {
      const member = call.target()
      changeMember(call, member, updatedMeta(member.meta, call.params.meta))
    },
    OF_MEMBER,
  ),
  'video.member.delete_meta': roomMethod(
    MemberWithKeys,
    (call) => {
      const member = call.target()
      changeMember(call, member, metaWithout(member.meta, call.params.keys))
    },
    OF_MEMBER,
  ),
}
