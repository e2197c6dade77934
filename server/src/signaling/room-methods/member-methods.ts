import { Type } from 'typebox'
import type { MemberSettings } from '../../rooms/sessions/member.ts'
import { memberObject } from '../wire-objects.ts'
import { MemberId, type MethodFacts, type RoomMethod, roomMethod } from './room-method.ts'

const OnMember = Type.Object({ member_id: MemberId })
/** Steps of gain, as in the published API. */
const Volume = Type.Number({ minimum: -50, maximum: 50 })
const Sensitivity = Type.Number({ minimum: 0, maximum: 100 })

const CHANGES_MEMBER: MethodFacts = {
  events: ['video.member.updated'],
  history: ['member.updated'],
  since: '0.1.0',
}
const CHANGES_PICTURE: MethodFacts = {
  events: ['video.member.updated', 'video.layout.changed'],
  history: ['member.updated'],
  since: '0.1.0',
}

const setting = (settings: Partial<MemberSettings>, facts = CHANGES_MEMBER): RoomMethod =>
  roomMethod(
    OnMember,
    ({ session, target, reply }) => session.changes.change(target(), settings, reply),
    facts,
  )

/** As published, whoever stops hearing the room is no longer heard either, until unmuted. Viewers are never heard. */
const deaf = (isDeaf: boolean): RoomMethod =>
  roomMethod(
    OnMember,
    ({ session, target, reply }) => {
      const member = target()
      const settings = member.isAudience ? { deaf: isDeaf } : { deaf: isDeaf, audio_muted: isDeaf }
      return session.changes.change(member, settings, reply)
    },
    CHANGES_MEMBER,
  )

const volume = (field: 'input_volume' | 'output_volume'): RoomMethod =>
  roomMethod(
    Type.Object({ member_id: MemberId, volume: Volume }),
    ({ session, params, target, reply }) =>
      session.changes.change(target(), { [field]: params.volume }, reply),
    CHANGES_MEMBER,
  )

const hand = (raised: boolean): RoomMethod =>
  roomMethod(OnMember, ({ session, target, reply }) => session.changes.raiseHand(target(), raised, reply), {
    ...CHANGES_PICTURE,
    since: '0.3.0',
  })

/** `video.members.get` and all methods on one member, besides those on its meta. */
export const memberMethods: Readonly<Record<string, RoomMethod>> = {
  'video.member.audio_mute': setting({ audio_muted: true }),
  'video.member.audio_unmute': setting({ audio_muted: false }),
  'video.member.video_mute': setting({ video_muted: true }, CHANGES_PICTURE),
  'video.member.video_unmute': setting({ video_muted: false }, CHANGES_PICTURE),
  'video.member.deaf': deaf(true),
  'video.member.undeaf': deaf(false),
  'video.member.set_input_volume': volume('input_volume'),
  'video.member.set_output_volume': volume('output_volume'),
  'video.member.set_input_sensitivity': roomMethod(
    Type.Object({ member_id: MemberId, value: Sensitivity }),
    ({ session, params, target, reply }) =>
      session.changes.change(target(), { input_sensitivity: params.value }, reply),
    CHANGES_MEMBER,
  ),
  'video.member.raisehand': hand(true),
  'video.member.lowerhand': hand(false),
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
