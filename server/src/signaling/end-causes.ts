import type { EndCause } from '../rooms/sessions/participant.ts'

/** Causes of a hang-up for the client, in the terms of the call server that this protocol comes from. */
export const CAUSE_OF_END: Readonly<Record<EndCause, { cause: string; causeCode: number }>> = {
  removed: { cause: 'MANAGER_REQUEST', causeCode: 503 },
  token_revoked: { cause: 'CALL_REJECTED', causeCode: 21 },
  token_reset: { cause: 'CALL_REJECTED', causeCode: 21 },
  time_over: { cause: 'ALLOTTED_TIMEOUT', causeCode: 602 },
  session_ended: { cause: 'NORMAL_CLEARING', causeCode: 16 },
  connection_lost: { cause: 'RECOVERY_ON_TIMER_EXPIRE', causeCode: 102 },
  media_failed: { cause: 'MEDIA_TIMEOUT', causeCode: 604 },
  media_worker_died: { cause: 'NORMAL_TEMPORARY_FAILURE', causeCode: 41 },
  shutdown: { cause: 'SYSTEM_SHUTDOWN', causeCode: 501 },
  replaced: { cause: 'PICKED_OFF', causeCode: 601 },
  parent_left: { cause: 'NORMAL_CLEARING', causeCode: 16 },
}
