import { newId } from '../../ids.ts'
import type { RoomRecord } from '../../storage/records.ts'
import { grantedPermissions } from '../permissions.ts'
import type { RoomTokenGrant } from '../room-token.ts'
import { tokenKey } from '../token-key.ts'
import { removalTime } from './admission.ts'
import type { ChildRequest, MemberRequest } from './join-request.ts'
import { Member, type MemberTerms } from './member.ts'

/**
 * Creates the member for a join, from its token and the settings of the room.
 * @param now Unix milliseconds
 */
export function newMember<Session>(request: MemberRequest<Session>, room: RoomRecord, now: number): Member {
  const { grant, name, participant } = request
  const videoOff = grant.join_video_muted || room.room_join_video_off || room.user_join_video_off
  return new Member({
    id: newId(),
    name,
    type: grant.join_as,
    parent: null,
    participant,
    tokens: [tokenKey(grant)],
    terms: termsOf(grant, { isAudience: grant.join_as === 'audience', joinedAt: now }, room),
    meta: grant.meta ?? {},
    audioMuted: grant.join_audio_muted,
    videoMuted: videoOff,
    joinedAt: now,
  })
}

/**
 * Creates the screen share or device of a member.
 * @param now Unix milliseconds
 */
export function newChild(
  parent: Member,
  { type, sendsVideo }: Pick<ChildRequest<unknown>, 'type' | 'sendsVideo'>,
  now: number,
): Member {
  return new Member({
    id: newId(),
    name: parent.name,
    type,
    parent,
    participant: parent.participant,
    tokens: [],
    terms: termsOfChild(parent),
    meta: {},
    audioMuted: false,
    videoMuted: false,
    sendsVideo: sendsVideo ?? true,
    joinedAt: now,
  })
}

/** Terms of a token for a member who is in the room or about to join. */
export function termsOf(
  grant: RoomTokenGrant,
  member: Pick<Member, 'isAudience' | 'joinedAt'>,
  room: RoomRecord,
): MemberTerms {
  return {
    permissions: grantedPermissions(grant.permissions, member.isAudience ? 'audience' : 'member'),
    mediaAllowed: grant.media_allowed,
    mediaReceived: grant.media_allowed,
    removeAt: removalTime(grant, room, member.joinedAt),
    endSessionOnLeave: grant.end_room_session_on_leave,
  }
}

/** Terms of a screen share or device. It leaves with its owner, and its departure does not end the session. */
export function termsOfChild(parent: Member): MemberTerms {
  return { ...parent.terms, removeAt: null, endSessionOnLeave: false }
}
