import type { LeftReason } from '@parley/embed/protocol'
import type { ErrorText } from '../api/error-text.ts'
import { t } from '../languages/texts.ts'

/** Why somebody is no longer in the room. Pages that embed a meeting are told the same. */
export type LeaveReason = LeftReason

/** What the client knows about the end of a call. */
export interface EndedCall {
  /** Whether the room said earlier that its session is over. */
  roomEnded: boolean
  /** The client's own reason, such as `RECONNECTION_ATTEMPT_TIMEOUT`. */
  clientReason: string | undefined
  /** The cause that the server gave when it ended the call. */
  cause: string | undefined
  /** Whether sound and picture ever reached the server. */
  mediaConnected: boolean
  /** Whether the server refused the token when the client came back after its socket had dropped. */
  tokenRefused: boolean
}

/** The server's hang-up causes that say more than that the call is over. */
const causes: Record<string, LeaveReason> = {
  MANAGER_REQUEST: 'removed',
  CALL_REJECTED: 'invitation-void',
  ALLOTTED_TIMEOUT: 'time-over',
  NORMAL_CLEARING: 'room-ended',
  RECOVERY_ON_TIMER_EXPIRE: 'connection-lost',
  MEDIA_TIMEOUT: 'media-failed',
  NORMAL_TEMPORARY_FAILURE: 'server-trouble',
  SYSTEM_SHUTDOWN: 'server-stopped',
  PICKED_OFF: 'elsewhere',
}

/** Why a call ended. The server's cause has priority over what the client saw. */
export function leaveReason(call: EndedCall): LeaveReason {
  const { roomEnded, clientReason, cause, mediaConnected, tokenRefused } = call
  // A cause that this page does not know was still a decision by somebody. The page must not undo it by coming back.
  if (cause) return causes[cause] ?? 'unknown'
  if (roomEnded) return 'room-ended'
  if (clientReason) return mediaConnected ? 'connection-lost' : 'media-failed'
  if (tokenRefused) return 'token-refused'
  return mediaConnected ? 'unknown' : 'media-failed'
}

/**
 * Whether the page brings somebody back by itself. It never does so against a decision of a moderator or of the person,
 * or after a set time has ended.
 */
export function comesBack(reason: LeaveReason, mediaConnected: boolean): boolean {
  switch (reason) {
    case 'connection-lost':
    case 'server-trouble':
    case 'server-stopped':
    case 'server-restarted':
    case 'token-refused':
      return true
    case 'media-failed':
      // If media never connected, it will not connect the next time.
      return mediaConnected
    default:
      return false
  }
}

/** What to tell the person. */
export function leaveReasonText(reason: LeaveReason): ErrorText {
  switch (reason) {
    case 'server-trouble':
    case 'server-restarted':
      return { title: t('meeting.interrupted'), hint: t('meeting.interrupted-hint') }
    case 'token-refused':
      return { title: t('meeting.token-refused'), hint: t('errors.ask-for-new-invitation') }
    case 'unknown':
      return { title: t('meeting.call-ended'), hint: t('meeting.call-ended-hint') }
    default:
      return { title: t(`meeting.${reason}`), hint: t(`meeting.${reason}-hint`) }
  }
}
