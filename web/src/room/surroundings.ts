import { createContext, useContext } from 'react'
import type { ErrorText } from '../api/error-text.ts'
import type { Readiness } from '../green-room/readiness.ts'
import type { LeaveReason } from './leave-reason.ts'
import type { Meeting } from './meeting.ts'

/** Why a visit does not lead into the meeting. */
export type VisitProblem =
  | { code: 'token-invalid' | 'unreachable' }
  /** @property state of the conference */
  | { code: 'not-open'; state: string }
  | { code: 'join-failed'; text: ErrorText }

/** What stands around a visit: a page of its own, or one of another site that embeds it. */
export interface Surroundings {
  /** A name that whoever embeds knows; null to ask for it. */
  userName: string | null
  chat: boolean
  memberList: boolean
  /** Whether people choose their devices, before and during the meeting. Without it, one with a name joins at once. */
  devicePicker: boolean
  /** Whether the microphone and the camera may be used. */
  audio: boolean
  video: boolean
  /** Somebody is in. Called again after each interruption. */
  onMeeting(meeting: Meeting, roomName: string): void
  /** The visit is over, and does not come back by itself. */
  onLeft(reason: LeaveReason): void
  onProblem(problem: VisitProblem): void
}

const ownPage: Surroundings = {
  userName: null,
  chat: true,
  memberList: true,
  devicePicker: true,
  audio: true,
  video: true,
  onMeeting: () => {},
  onLeft: () => {},
  onProblem: () => {},
}

export const SurroundingsContext = createContext(ownPage)

/** What stands around the visit that is shown; a page of its own unless somebody embeds it. */
export const useSurroundings = (): Surroundings => useContext(SurroundingsContext)

/** Whether somebody joins without a green room: there is nothing to ask, and nothing to choose. */
export function startsAtOnce(
  { devicePicker }: Surroundings,
  { fixedName, onlyWatches }: { fixedName: string | null; onlyWatches: boolean },
): boolean {
  return !devicePicker && (fixedName !== null || onlyWatches)
}

/** What somebody joins with: no device that the page around forbids, and the name that it gave. */
export function withAllowedDevices(
  ready: Readiness,
  { audio, video }: Surroundings,
  name: string | null,
): Readiness {
  const [tracks, forbidden] = [[] as MediaStreamTrack[], [] as MediaStreamTrack[]]
  for (const track of ready.tracks) {
    const isAllowed = track.kind === 'audio' ? audio : video
    ;(isAllowed ? tracks : forbidden).push(track)
  }
  for (const track of forbidden) track.stop()
  return {
    choices: name === null ? ready.choices : { ...ready.choices, name },
    tracks,
    microphoneUsable: ready.microphoneUsable && audio,
    cameraUsable: ready.cameraUsable && video,
  }
}
