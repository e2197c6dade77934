import { exactShower } from '../resources/answers.ts'
import { roomFields } from '../resources/room-fields.ts'
import type { Layout } from '../rooms/layouts/layout-types.ts'
import type {
  MemberView,
  PlaybackView,
  RecordingView,
  RoomField,
  SessionView,
  StreamView,
} from '../rooms/sessions/participant.ts'

/** Objects of the wire format (docs/protocol.md, sections 4.1 and 4.4). All times are Unix seconds. */

const toSeconds = (timeMs: number | null) => (timeMs === null ? null : timeMs / 1000)

/** `event_channel` of all events of a session. */
export function eventChannel(session: Pick<SessionView, 'id'>): string {
  return `EC_${session.id}`
}

/** A recording as the client protocol shows it. Times are in Unix seconds, null while unknown. */
export function recordingObject(recording: RecordingView) {
  return {
    id: recording.id,
    state: recording.state,
    duration: toSeconds(recording.durationMs),
    started_at: toSeconds(recording.startedAt),
    ended_at: toSeconds(recording.endedAt),
  }
}

/** A stream as the client protocol shows it. Times are in Unix seconds, null while unknown. */
export function streamObject(stream: StreamView) {
  const { startedAt, endedAt } = stream
  return {
    id: stream.id,
    state: stream.state,
    url: stream.url,
    duration: startedAt === null || endedAt === null ? null : toSeconds(endedAt - startedAt),
    started_at: toSeconds(startedAt),
    ended_at: toSeconds(endedAt),
  }
}

/** A playback as the client protocol shows it. Its position is in milliseconds. */
export function playbackObject(playback: PlaybackView) {
  return {
    id: playback.id,
    state: playback.state,
    url: playback.url,
    volume: playback.volume,
    position: playback.positionMs,
    // In milliseconds, like `position`. An addition of ours.
    duration: playback.durationMs,
    seekable: playback.seekable,
    started_at: toSeconds(playback.startedAt),
    ended_at: toSeconds(playback.endedAt),
  }
}

/** A stream for everybody, without the path of its URL, because the path contains the key. */
function publicStreamObject(stream: StreamView) {
  return { ...streamObject(stream), url: hostOf(stream.url) }
}

/** A playback for everybody, without the path of its URL, because the path may contain a secret. */
function publicPlaybackObject(playback: PlaybackView) {
  return { ...playbackObject(playback), url: hostOf(playback.url) }
}

/** A URL without user, password, path and query. */
function hostOf(url: string): string {
  const [origin] = /^[a-z]+:\/\/(?:[^/?#]*@)?/i.exec(url) ?? ['']
  const [host] = url.slice(origin.length).split(/[/?#]/, 1)
  return `${origin.split('//', 1)[0]}//${host}`
}

/** A member as the client protocol shows it to everybody in the session. */
export function memberObject(session: SessionView, member: MemberView) {
  return {
    id: member.id,
    room_id: session.roomId,
    room_session_id: session.id,
    scope_id: session.projectId,
    name: member.name,
    type: member.type,
    parent_id: member.parentId ?? '',
    requested_position: member.requestedPosition,
    current_position: member.currentPosition,
    visible: member.visible,
    audio_muted: member.audioMuted,
    video_muted: member.videoMuted,
    deaf: member.deaf,
    input_volume: member.inputVolume,
    output_volume: member.outputVolume,
    input_sensitivity: member.inputSensitivity,
    handraised: member.handRaised,
    /** When it was raised, in Unix milliseconds; an addition of Parley. */
    handraised_at: member.handRaisedAt,
    talking: member.talking,
    meta: member.meta,
  }
}

const showRoomFields = exactShower(roomFields, 'live_session')

/** Fields that `room_session` and its older twin `room` share. */
function sessionFields(session: SessionView, origin: string) {
  return {
    room_id: session.roomId,
    event_channel: eventChannel(session),
    ...showRoomFields(session.room),
    display_name: session.displayName,
    layout_name: session.layoutName,
    recording: session.runningRecordings.length > 0,
    streaming: session.runningStreams.length > 0,
    hide_video_muted: session.hideVideoMuted,
    prioritize_handraise: session.prioritizeHandraise,
    locked: session.locked,
    logos_visible: true,
    blind_mode: false,
    silent_mode: false,
    meeting_mode: false,
    music_on_hold: false,
    preview_url: session.previewPath === null ? '' : origin + session.previewPath,
    meta: session.meta,
    recordings: session.runningRecordings.map(recordingObject),
    playbacks: session.runningPlaybacks.map(publicPlaybackObject),
    streams: session.runningStreams.map(publicStreamObject),
  }
}

/** @param origin URL where the receiver reaches this server */
export function roomSessionObject(session: SessionView, origin: string) {
  return { id: session.id, ...sessionFields(session, origin) }
}

/** @param origin URL where the receiver reaches this server */
export function roomObject(session: SessionView, origin: string) {
  return { room_session_id: session.id, ...sessionFields(session, origin) }
}

/** Only the changed fields, for `video.room.updated`. None of them can contain a link. */
export function changedRoomFields(session: SessionView, updated: readonly RoomField[]) {
  const all = sessionFields(session, '')
  const { room_id, event_channel, name } = all
  return {
    room_id,
    event_channel,
    name,
    updated,
    ...Object.fromEntries(updated.map((key) => [key, all[key]])),
  }
}

/** A layout with its layers. Their places are in percent of the canvas. */
export function layoutObject(session: SessionView, layout: Layout) {
  return {
    id: layout.name,
    name: layout.name,
    room_id: session.roomId,
    room_session_id: session.id,
    layers: layout.layers,
  }
}
