import { useEffect, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { fetchInvitation, type Invitation } from './invitation.ts'

/** How often a conference is looked at that cannot be joined now. */
const LOOK_EVERY_MS = 15_000
/** Timers hold no more. */
const MOST_TIMER_MS = 2 ** 31 - 1

export type InvitationLook =
  | { is: 'asking' }
  /** `opensAtMs` by the clock of this device; null unless the state is `early`. */
  | { is: 'read'; invitation: Invitation; opensAtMs: number | null }
  | { is: 'void' }
  | { is: 'unreachable' }

/**
 * Reads an invitation, and reads it again while the conference cannot be joined: at the moment when it opens, and now and
 * then.
 */
export function useInvitation(token: string): InvitationLook {
  const [look, setLook] = useState<InvitationLook>({ is: 'asking' })
  useEffect(() => {
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = async () => {
      const next = await read(token, abort.signal)
      if (abort.signal.aborted) return
      setLook(next)
      const waitMs = nextLookMs(next)
      if (waitMs !== null) timer = setTimeout(() => void ask(), waitMs)
    }
    void ask()
    return () => {
      abort.abort()
      clearTimeout(timer)
    }
  }, [token])
  return look
}

async function read(token: string, signal: AbortSignal): Promise<InvitationLook> {
  try {
    const invitation = await fetchInvitation(token, signal)
    const { state, join_from, now } = invitation
    const isEarly = state === 'early' && join_from !== null
    // The clock of this device may be wrong; the server's counts.
    const opensAtMs = isEarly ? Date.now() + Date.parse(join_from) - Date.parse(now) : null
    return { is: 'read', invitation, opensAtMs }
  } catch (error) {
    return { is: error instanceof ApiError && error.status === 401 ? 'void' : 'unreachable' }
  }
}

/** @returns null when there is nothing to wait for */
function nextLookMs(look: InvitationLook): number | null {
  if (look.is === 'void') return null
  if (look.is !== 'read') return LOOK_EVERY_MS
  if (look.invitation.state === 'open') return null
  if (look.opensAtMs === null) return LOOK_EVERY_MS
  return Math.min(MOST_TIMER_MS, Math.max(500, look.opensAtMs - Date.now()))
}
