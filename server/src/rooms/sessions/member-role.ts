import type { Meta } from '../../storage/records.ts'
import type { GrantedPermissions } from '../permissions.ts'

/** Kinds of media that a token or a moderator allows. */
export type MediaAllowed = 'all' | 'audio-only' | 'video-only'

/** A moderator's decision about a member or viewer. It replaces what the token says, until the person leaves. */
export interface MemberRole {
  joinAs: 'member' | 'audience'
  permissions: GrantedPermissions
  /** Media that a member may send. An audience sends nothing. */
  mediaAllowed: MediaAllowed
  mediaReceived: MediaAllowed
  /** Replaces the `meta` of the token. Null keeps it. */
  meta: Meta | null
}

/** Directions in which a leg may carry media. */
export interface MediaDirections {
  maySendAudio: boolean
  maySendVideo: boolean
  mayReceiveAudio: boolean
  mayReceiveVideo: boolean
}

/** Directions for a person, a screen share or a device. The latter two only send. */
export function directionsOf(
  { mediaAllowed, mediaReceived }: Pick<MemberRole, 'mediaAllowed' | 'mediaReceived'>,
  { isAudience, isMain }: { isAudience: boolean; isMain: boolean },
): MediaDirections {
  return {
    maySendAudio: mediaAllowed !== 'video-only' && !isAudience,
    maySendVideo: mediaAllowed !== 'audio-only' && !isAudience,
    mayReceiveAudio: mediaReceived !== 'video-only' && isMain,
    mayReceiveVideo: mediaReceived !== 'audio-only' && isMain,
  }
}
