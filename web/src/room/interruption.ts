import type { ErrorText } from '../api/error-text.ts'
import { loadChoices } from '../green-room/choices.ts'
import type { Readiness } from '../green-room/green-room.tsx'
import type { LeaveReason } from './leave-reason.ts'
import type { MeetingState } from './meeting-state.ts'
import { peopleOf } from './members.ts'

/** What a meeting leaves behind that ended by accident: all that is needed to go on where it stopped. */
export interface Interruption {
  reason: LeaveReason
  /** Devices as they were. Those that were on still run and belong to the holder of this. */
  ready: Readiness
  /** How many were in the room. */
  people: number
  /** The run of the server that the call was with; null where that is not known. */
  run: string | null
  wasRecording: boolean
  wasSharing: boolean
  /** Settles when the old call has let go of its socket. */
  closed: Promise<void>
}

/**
 * Copies the tracks that were sending: the browser client stops its own when a call ends.
 * @param sent tracks of real devices, without stand-ins
 */
export function interruptionOf(
  state: MeetingState,
  {
    ready,
    sent,
    ...rest
  }: Pick<Interruption, 'reason' | 'run' | 'closed' | 'ready'> & { sent: MediaStreamTrack[] },
): Interruption {
  const self = state.members.find((member) => member.id === state.selfId)
  const isMuted = { audio: self?.audioMuted ?? false, video: self?.videoMuted ?? false }
  const sending = sent.filter(
    (track) => track.readyState === 'live' && !isMuted[track.kind as 'audio' | 'video'],
  )
  // Devices may have been changed in the meeting.
  const { cameraId, microphoneId, speakerId } = loadChoices()
  return {
    ...rest,
    ready: {
      ...ready,
      choices: { ...ready.choices, cameraId, microphoneId, speakerId },
      tracks: sending.map((track) => track.clone()),
    },
    people: peopleOf(state.members).length,
    wasRecording: state.recordingSince !== null,
    wasSharing: state.sharing === 'on',
  }
}

/** Whether it was the meeting that was interrupted, for everybody, or the connection of this device alone. */
export function wasForAll(reason: LeaveReason, sameRun: boolean): boolean {
  return (
    !sameRun || reason === 'server-trouble' || reason === 'server-stopped' || reason === 'server-restarted'
  )
}

/**
 * What to tell somebody who is back.
 * @param recording whether the meeting is being recorded now
 */
export function returnNote(
  from: Pick<Interruption, 'wasRecording' | 'wasSharing'>,
  { forAll, recording }: { forAll: boolean; recording: boolean },
): ErrorText {
  const lost = [
    from.wasRecording && !recording && 'The recording ended with it: start another one.',
    from.wasSharing && 'Your screen is no longer shared: share it again.',
  ].filter(Boolean)
  return {
    title: forAll
      ? 'The meeting was interrupted for a moment and goes on'
      : 'Your connection was lost for a moment, and you are back',
    hint: lost.join(' '),
  }
}
