import { newId } from '../../ids.ts'
import type { RoomRecord } from '../../storage/records.ts'
import { grantedPermissions } from '../permissions.ts'
import type { RoomTokenGrant } from '../room-token.ts'
import { tokenKey } from '../token-key.ts'
import { removalTime } from './admission.ts'
import type { MemberRequest } from './join-request.ts'
import { Member, type MemberTerms } from './member.ts'

/**
 * The member that a join makes: what its token says, and what the room says to everybody.
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
 * A screen share or device of a member.
 * @param now Unix milliseconds
 */
export function newChild(parent: Member, type: 'screen' | 'device', now: number): Member {
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
    joinedAt: now,
  })
}

/** What a token means for somebody who is, or is about to be, in the room. */
export function termsOf(
  grant: RoomTokenGrant,
  member: Pick<Member, 'isAudience' | 'joinedAt'>,
  room: RoomRecord,
): MemberTerms {
  return {
    permissions: grantedPermissions(grant.permissions, member.isAudience ? 'audience' : 'member'),
    mediaAllowed: grant.media_allowed,
    removeAt: removalTime(grant, room, member.joinedAt),
    endSessionOnLeave: grant.end_room_session_on_leave,
  }
}

/** A screen share or device goes with its member, and ends nothing. */
export function termsOfChild(parent: Member): MemberTerms {
  return { ...parent.terms, removeAt: null, endSessionOnLeave: false }
}
