import type { ChatState } from './chat/chat-machine.ts'
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
  /** What was written, so that it stays. */
  chat: ChatState
  /** Settles when the old call has released its socket. */
  closed: Promise<void>
}

/** @param state of the meeting just before it ended */
export function interruptionOf(
  state: MeetingState,
  rest: Pick<Interruption, 'reason' | 'name' | 'run' | 'chat' | 'closed'>,
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
