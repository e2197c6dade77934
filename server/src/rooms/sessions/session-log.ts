import type { Logger } from 'pino'
import type { EventName } from '../../resources/event-names.ts'
import type { EventRecord } from '../../storage/records.ts'

/** What the log says of the events that an operator follows a meeting by. The history has the others too. */
const WORDS: Partial<Record<EventName, string>> = {
  'room.started': 'session began',
  'room.ended': 'session ended',
  'member.joined': 'member came',
  'member.left': 'member left',
  'member.promoted': 'viewer became a member',
  'member.demoted': 'member became a viewer',
  'member.lost': 'connection of a member broke',
  'member.back': 'connection of a member is whole again',
  'recording.started': 'recording began',
  'recording.ended': 'recording ended',
  'recording.completed': 'recording can be played',
  'recording.failed': 'recording failed',
  'recording.refused': 'recording refused',
  'stream.started': 'stream began',
  'stream.interrupted': 'stream interrupted',
  'stream.resumed': 'stream goes on',
  'stream.ended': 'stream ended',
  'playback.started': 'playback began',
  'playback.ended': 'playback ended',
}

/** The fields of payloads that are logged, beside the ids. No link, key or token is among them. */
const SHOWN = ['type', 'name', 'reason', 'duration_ms', 'size_in_bytes', 'stream_id', 'playback_id'] as const

const LEVELS = { info: 'info', warning: 'warn', error: 'error' } as const

/** Writes a line about an event, if it is one of {@link WORDS}. Each viewer of an audience has one at the level debug only. */
export function logEvent(log: Logger, event: EventRecord): void {
  const words = WORDS[event.name as EventName]
  if (words === undefined) return
  const { room_session_id, room_recording_id, room_participant_id, payload } = event
  const shown = SHOWN.flatMap((name) => (payload[name] == null ? [] : [[name, payload[name]]]))
  const fields = {
    sessionId: room_session_id,
    ...(room_participant_id !== null && { memberId: room_participant_id }),
    ...(room_recording_id !== null && { recordingId: room_recording_id }),
    ...Object.fromEntries(shown),
  }
  const level = payload.type === 'audience' ? 'debug' : (LEVELS[event.level as keyof typeof LEVELS] ?? 'info')
  log[level](fields, words)
}
