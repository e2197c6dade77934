import { Type } from 'typebox'
import type { MemberSettings } from '../../rooms/sessions/member.ts'
import { memberObject } from '../wire-objects.ts'
import { type MethodFacts, type RoomMethod, roomMethod } from './room-method.ts'

const MemberId = Type.String({ minLength: 1, maxLength: 100 })
const OnMember = Type.Object({ member_id: MemberId })
/** Steps of gain, as in the published API. */
const Volume = Type.Number({ minimum: -50, maximum: 50 })
const Sensitivity = Type.Number({ minimum: 0, maximum: 100 })

const CHANGES_MEMBER: MethodFacts = { events: ['video.member.updated'], since: '0.1.0' }
const CHANGES_PICTURE: MethodFacts = {
  events: ['video.member.updated', 'video.layout.changed'],
  since: '0.1.0',
}

const setting = (settings: Partial<MemberSettings>, facts = CHANGES_MEMBER): RoomMethod =>
  roomMethod(
    OnMember,
    ({ session, target, reply }) => {
      const member = target()
      reply()
      session.change(member, settings)
    },
    facts,
  )

const volume = (field: 'input_volume' | 'output_volume'): RoomMethod =>
  roomMethod(
    Type.Object({ member_id: MemberId, volume: Volume }),
    ({ session, params, target, reply }) => {
      const member = target()
      reply()
      session.change(member, { [field]: params.volume })
    },
    CHANGES_MEMBER,
  )

/** `video.members.get` and all methods on one member. */
export const memberMethods: Readonly<Record<string, RoomMethod>> = {
  'video.member.audio_mute': setting({ audio_muted: true }),
  'video.member.audio_unmute': setting({ audio_muted: false }),
  'video.member.video_mute': setting({ video_muted: true }, CHANGES_PICTURE),
  'video.member.video_unmute': setting({ video_muted: false }, CHANGES_PICTURE),
  'video.member.deaf': setting({ deaf: true }),
  'video.member.undeaf': setting({ deaf: false }),
  'video.member.set_input_volume': volume('input_volume'),
  'video.member.set_output_volume': volume('output_volume'),
  'video.member.set_input_sensitivity': roomMethod(
    Type.Object({ member_id: MemberId, value: Sensitivity }),
    ({ session, params, target, reply }) => {
      const member = target()
      reply()
      session.change(member, { input_sensitivity: params.value })
    },
    CHANGES_MEMBER,
  ),
  'video.member.get_meta': roomMethod(OnMember, ({ target, reply }) => reply({ meta: target().meta }), {
    events: [],
    since: '0.1.0',
  }),
  'video.member.remove': roomMethod(
    OnMember,
    ({ session, actor, params, target, reply }) => {
      const leaving =
        params.member_id === 'all' ? session.everybody().filter((member) => member.isMain) : [target()]
      reply()
      // A member that removes itself only leaves, and is not banned.
      for (const member of leaving) {
        if (member === actor) session.departures.leave(member, 'removed')
        else session.departures.expel(member)
      }
    },
    { events: ['video.member.left', 'video.layout.changed'], history: ['member.left'], since: '0.1.0' },
  ),
  'video.members.get': roomMethod(
    Type.Object({}),
    ({ session, reply }) =>
      reply({ members: session.members.map((member) => memberObject(session, member)) }),
    { events: [], since: '0.1.0' },
  ),
}
