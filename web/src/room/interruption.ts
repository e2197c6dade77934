import type { ErrorText } from '../api/error-text.ts'
import type { LeaveReason } from './leave-reason.ts'
import type { MeetingState } from './meeting-state.ts'
import { peopleOf } from './members.ts'

/** The state that an interrupted meeting leaves for the return: everything needed to continue. */
export interface Interruption {
  reason: LeaveReason
  /** The name that the person entered in the green room. */
  name: string
  /** Whether it was a seat of the audience. */
  watches: boolean
  /** Whether each was on. Muted devices stay muted. */
  cameraOn: boolean
  microphoneOn: boolean
  /** Number of people in the room. */
  people: number
  /** The run of the server that the call belonged to; null if it is not known. */
  run: string | null
  wasRecording: boolean
  wasSharing: boolean
  /** Settles when the old call has released its socket. */
  closed: Promise<void>
}

/** @param state of the meeting just before it ended */
export function interruptionOf(
  state: MeetingState,
  rest: Pick<Interruption, 'reason' | 'name' | 'run' | 'closed'>,
): Interruption {
  const self = state.members.find((member) => member.id === state.selfId)
  return {
    ...rest,
    watches: state.role === 'audience',
    cameraOn: self?.videoMuted === false,
    microphoneOn: self?.audioMuted === false,
    people: peopleOf(state.members).length,
    wasRecording: state.recording !== null,
    wasSharing: state.sharing === 'on',
  }
}

/** Whether the meeting was interrupted for everybody, or only the connection of this device. */
export function wasForAll(reason: LeaveReason, sameRun: boolean): boolean {
  return (
    !sameRun || reason === 'server-trouble' || reason === 'server-stopped' || reason === 'server-restarted'
  )
}

/**
 * The message for somebody who has returned.
 * @param recording whether the meeting is being recorded now
 */
export function returnNote(
  from: Pick<Interruption, 'wasRecording' | 'wasSharing'>,
  { forAll, recording }: { forAll: boolean; recording: boolean },
): ErrorText {
  const lost = [
    from.wasRecording && !recording && 'The recording ended. Start a new one.',
    from.wasSharing && 'Your screen is no longer shared. Please share it again.',
  ].filter(Boolean)
  return {
    title: forAll
      ? 'The meeting was interrupted for a moment and goes on'
      : 'Your connection was lost for a moment, and you are back',
    hint: lost.join(' '),
  }
}
