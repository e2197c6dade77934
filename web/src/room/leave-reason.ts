import type { ErrorText } from '../api/error-text.ts'

/** Why somebody is no longer in the room. */
export type LeaveReason =
  | 'left'
  | 'removed'
  | 'invitation-void'
  | 'time-over'
  | 'room-ended'
  | 'connection-lost'
  | 'media-failed'
  | 'server-trouble'
  | 'server-stopped'
  | 'elsewhere'
  | 'unknown'

/** What the client can tell about the end of a call. */
export interface EndedCall {
  /** Whether the room said before that its session is over. */
  roomEnded: boolean
  /** The client's own reason, such as `RECONNECTION_ATTEMPT_TIMEOUT`. */
  clientReason: string | undefined
  /** What the server gave as the cause when it ended the call. */
  cause: string | undefined
  /** Whether sound and picture ever had a way to the server. */
  mediaConnected: boolean
}

/** The words of the server for a hang-up, where they say more than that the call is over. */
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

export function leaveReason({ roomEnded, clientReason, cause, mediaConnected }: EndedCall): LeaveReason {
  const known = causes[cause ?? '']
  if (known) return known
  if (roomEnded) return 'room-ended'
  if (!mediaConnected) return 'media-failed'
  if (clientReason) return 'connection-lost'
  return 'unknown'
}

/** What to tell the person. */
export function leaveReasonText(reason: LeaveReason): ErrorText {
  switch (reason) {
    case 'left':
      return { title: 'You left the room', hint: 'The others can go on without you.' }
    case 'removed':
      return { title: 'A moderator removed you', hint: 'To come back, ask them for a new invitation.' }
    case 'invitation-void':
      return { title: 'Your invitation is not valid any more', hint: 'To come back, ask for a new one.' }
    case 'time-over':
      return { title: 'Your time in this room is over', hint: 'It was set when the meeting was planned.' }
    case 'room-ended':
      return { title: 'The meeting has ended', hint: 'It was ended for everybody.' }
    case 'connection-lost':
      return {
        title: 'The connection was lost',
        hint: 'Check that this device is online, then join again. Your name and devices are kept.',
      }
    case 'media-failed':
      return {
        title: 'Sound and picture did not get through',
        hint: 'Join again. If it stays so, a firewall may keep UDP out: try another network.',
      }
    case 'server-trouble':
      return { title: 'The server had to end the meeting', hint: 'You can join again at once.' }
    case 'server-stopped':
      return { title: 'The server is shutting down', hint: 'It may be back in a minute. Join again then.' }
    case 'elsewhere':
      return { title: 'You joined from somewhere else', hint: 'Your seat moved to the other window.' }
    default:
      return { title: 'The call ended', hint: 'Nobody gave a reason for it. You can join again.' }
  }
}
