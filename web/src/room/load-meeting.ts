import { loadTexts } from '../languages/current-language.ts'
import { CodeMissing } from './code-missing.ts'
import { loadClient } from './load-client.ts'

/** What a meeting needs beyond the green room. */
export type MeetingCode = Awaited<ReturnType<typeof fetchCode>>

/** Slow devices and networks get the green room first, in milliseconds. */
const IDLE_TIMEOUT_MS = 2000

let loading: Promise<MeetingCode> | null = null

/**
 * Loads the code of the meeting with the browser client, once. After a failure the next call tries again.
 * @throws CodeMissing
 */
export function loadMeeting(): Promise<MeetingCode> {
  loading ??= fetchCode().catch((cause: unknown) => {
    loading = null
    throw new CodeMissing('The code of the meeting could not be fetched.', { cause })
  })
  return loading
}

/**
 * Loads the code of the meeting as soon as the page is drawn and idle, so that it is there when somebody presses Join.
 * A failure is told then.
 * @returns stops waiting for the idle page
 */
export function loadMeetingWhenIdle(): () => void {
  const load = () => void loadMeeting().catch(() => {})
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(load, IDLE_TIMEOUT_MS)
    return () => clearTimeout(timer)
  }
  const request = requestIdleCallback(load, { timeout: IDLE_TIMEOUT_MS })
  return () => cancelIdleCallback(request)
}

async function fetchCode() {
  const [
    { Meeting },
    { MeetingRoom },
    { comeBackOnce },
    { AfterLeave },
    { ReturnScreen },
    { ReturnToMeeting },
    { joinErrorText },
    { wasForAll },
    { WaitingScreen },
    { KnockCards },
  ] = await Promise.all([
    import('./meeting.ts'),
    import('./meeting-room.tsx'),
    import('./come-back.ts'),
    import('./after-leave.tsx'),
    import('./return-screen.tsx'),
    import('./return-to-meeting.ts'),
    import('./join-error-text.ts'),
    import('./interruption.ts'),
    import('../waiting-room/waiting-screen.tsx'),
    import('../waiting-room/knock-cards.tsx'),
    loadClient(),
    loadTexts('chat', 'panels', 'meeting', 'errors', 'waiting'),
    import('../ui/toast-stack.tsx'),
  ])
  return {
    Meeting,
    MeetingRoom,
    comeBackOnce,
    AfterLeave,
    ReturnScreen,
    ReturnToMeeting,
    joinErrorText,
    wasForAll,
    WaitingScreen,
    KnockCards,
  }
}
