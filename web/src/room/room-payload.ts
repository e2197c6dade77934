import type { RoomSettings } from './meeting-state.ts'
import type { MemberPayload } from './members.ts'
import type { PlaybackPayload } from './playback-state.ts'
import { type MeetingRecording, withReport } from './recording-state.ts'

/** The parts of a room session that the page reads. The client's own types leave some of them out. */
export interface RoomPayload {
  id: string
  name?: string
  display_name?: string
  members?: readonly MemberPayload[]
  layout_name?: string
  hide_video_muted?: boolean
  prioritize_handraise?: boolean
  locked?: boolean
  name_labels?: boolean
  recording?: boolean
  streaming?: boolean
  /** `started_at` is in Unix seconds. */
  recordings?: readonly { state: string; started_at: number | null }[]
  playbacks?: readonly PlaybackPayload[]
  /** Names of the fields that this update changes. */
  updated?: readonly string[]
}

/** Returns the settings after a payload, which may contain only some of them. */
export function settingsOf(room: RoomPayload, before: RoomSettings): RoomSettings {
  return {
    hideVideoMuted: room.hide_video_muted ?? before.hideVideoMuted,
    handsFirst: room.prioritize_handraise ?? before.handsFirst,
    locked: room.locked ?? before.locked,
    nameLabels: room.name_labels ?? before.nameLabels,
  }
}

/** The running recording of a room that was just joined. @param nowMs Unix milliseconds */
export function recordingOf(
  { recording, recordings = [] }: RoomPayload,
  nowMs: number,
): MeetingRecording | null {
  const running = recordings.find((one) => one.state !== 'completed')
  if (!running && !recording) return null
  const startedAtMs = running?.started_at ? running.started_at * 1000 : null
  return withReport(null, { state: running?.state === 'paused' ? 'paused' : 'recording', startedAtMs, nowMs })
}
