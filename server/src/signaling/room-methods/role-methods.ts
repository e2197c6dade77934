import { Type } from 'typebox'
import { Refusal } from '../../errors/refusal.ts'
import { permissionsToGrant } from '../../rooms/permissions.ts'
import type { MediaAllowed } from '../../rooms/sessions/member-role.ts'
import { type MethodFacts, type RoomMethod, roomMethod } from './room-method.ts'

const MemberId = Type.String({ minLength: 1, maxLength: 100 })
const MediaAllowedParam = Type.Optional(
  Type.Unsafe<MediaAllowed>({ type: 'string', enum: ['all', 'audio-only', 'video-only'] }),
)

/** Limit of a member's `meta`, in characters of its JSON. The same as in a room token. */
const META_LIMIT = 2000

/** More names than there are permissions, their other spellings included. */
const MOST_NAMES = 200

function checkMeta(meta: object): void {
  // Code points, as everywhere in the API.
  if ([...JSON.stringify(meta)].length <= META_LIMIT) return
  throw new Refusal(
    'invalid_parameter',
    `Invalid params: meta must not exceed ${META_LIMIT} characters of JSON`,
  )
}

const LATER = ['video.layout.changed', 'video.room.audience_count'] as const
const PROMOTES: MethodFacts = {
  events: ['video.member.promoted', 'video.member.joined', ...LATER],
  history: ['member.promoted'],
  since: '0.3.0',
}
const DEMOTES: MethodFacts = {
  events: ['video.member.demoted', 'video.member.left', ...LATER],
  history: ['member.demoted'],
  since: '0.3.0',
}

/** Methods that make viewers members, and members viewers (docs/protocol.md, section 7). */
export const roleMethods: Readonly<Record<string, RoomMethod>> = {
  'video.member.promote': roomMethod(
    Type.Object({
      member_id: MemberId,
      media_allowed: MediaAllowedParam,
      join_audio_muted: Type.Optional(Type.Boolean()),
      join_video_muted: Type.Optional(Type.Boolean()),
      permissions: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: MOST_NAMES })),
      meta: Type.Optional(Type.Object({})),
    }),
    ({ session, actor, params, target, reply }) => {
      const member = target()
      const { meta = null } = params
      if (meta) checkMeta(meta)
      const promotion = {
        permissions: permissionsToGrant(params.permissions, actor?.terms.permissions ?? null),
        mediaAllowed: params.media_allowed ?? 'all',
        audioMuted: params.join_audio_muted ?? false,
        videoMuted: params.join_video_muted ?? false,
        meta: meta as Record<string, unknown> | null,
      }
      session.roles.promote(member, promotion, actor?.id ?? null)
      reply()
      session.roles.tell(member)
    },
    PROMOTES,
  ),
  'video.member.demote': roomMethod(
    Type.Object({ member_id: MemberId, media_allowed: MediaAllowedParam }),
    ({ session, actor, params, target, reply }) => {
      const member = target()
      session.roles.demote(member, params.media_allowed ?? 'all', actor?.id ?? null)
      reply()
      session.roles.tell(member)
    },
    DEMOTES,
  ),
}
