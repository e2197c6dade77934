/** Meaning of an event in one sentence, and the fields of its payload. */
interface EventDeclaration {
  says: string
  payload: readonly string[]
}

const MEMBER = ['member_id', 'name', 'type', 'parent_id'] as const
const RECORDING = ['recording_id'] as const
const STREAM = ['stream_id'] as const
const PLAYBACK = ['playback_id', 'position_ms'] as const

/** Every event of the history of sessions and recordings. */
const EVENTS = {
  'room.started': { says: 'The session has begun.', payload: ['room_name', 'room_session_id'] },
  'room.ended': {
    says: 'The session is over. `ended_at` is there when the server was interrupted and noted the end later.',
    payload: ['reason', 'duration_ms', 'ended_at', 'detail', 'member_id', 'member_name', 'node'],
  },
  'room.updated': {
    says: 'Settings of the session changed. `changed` has the new values, of all changes within a second together.',
    payload: ['changed'],
  },
  'member.joined': { says: 'Somebody came in, or began to share a screen or device.', payload: MEMBER },
  'member.promoted': {
    says: 'Somebody of the audience became a member. `by` is the id of the member who asked for it; null for a back end.',
    payload: [...MEMBER, 'by', 'permissions', 'media_allowed'],
  },
  'member.demoted': {
    says: 'A member went to the audience. `by` is the id of the member who asked for it; null for a back end.',
    payload: [...MEMBER, 'by', 'permissions', 'media_allowed'],
  },
  'member.updated': {
    says: 'Settings of somebody changed. `changed` has the new values, of all changes within a second together.',
    payload: [...MEMBER, 'changed'],
  },
  'member.lost': {
    says: 'The connection of a member broke: its socket or its media. Its seat is kept for a while.',
    payload: MEMBER,
  },
  'member.back': { says: 'The connection of a member is whole again.', payload: MEMBER },
  'member.left': { says: 'Somebody is gone.', payload: [...MEMBER, 'reason', 'duration_ms'] },
  'layout.changed': { says: 'Somebody set another layout, or it came back.', payload: ['layout_name'] },
  'position.requested': {
    says: 'A place in the layout was requested for a member or a file, or is not requested any more (`auto`).',
    payload: ['id', 'position'],
  },
  'recording.started': { says: 'The first picture is in the file.', payload: RECORDING },
  'recording.paused': { says: 'Nothing is recorded until it is resumed.', payload: RECORDING },
  'recording.resumed': { says: 'The recording goes on.', payload: RECORDING },
  'recording.ended': {
    says: 'No more is recorded. `reason` is there when nobody asked for the end.',
    payload: [...RECORDING, 'reason'],
  },
  'recording.completed': {
    says: 'The file can be played.',
    payload: [...RECORDING, 'duration_ms', 'size_in_bytes', 'reason'],
  },
  'recording.failed': {
    says: 'Nothing of the recording can be played.',
    payload: [...RECORDING, 'duration_ms', 'size_in_bytes', 'reason'],
  },
  'recording.expired': {
    says: 'It was deleted, because it was older than the `days` for which its room or project keeps recordings.',
    payload: [...RECORDING, 'days'],
  },
  'recording.lost': {
    says: 'The store of objects has lost its file.',
    payload: RECORDING,
  },
  'recording.quota': {
    says: 'The recordings of the project have come to so many percent of what they may take: 80, or 100, from when on none is started.',
    payload: [...RECORDING, 'percent', 'used_in_bytes', 'quota_in_bytes'],
  },
  'recording.refused': {
    says: 'The disk had no room for a recording or takes no files, or the quota of the project is used up.',
    payload: ['reason'],
  },
  'stream.started': { says: 'The server of a stream took it.', payload: STREAM },
  'stream.interrupted': {
    says: 'A stream lost its server, and tries again.',
    payload: [...STREAM, 'reason'],
  },
  'stream.resumed': { says: 'The server of a stream took it again.', payload: STREAM },
  'stream.ended': { says: 'A stream was stopped.', payload: STREAM },
  'playback.started': { says: 'A file or a live transmission is played into the room.', payload: PLAYBACK },
  'playback.paused': { says: 'A playback stands still until it is resumed.', payload: PLAYBACK },
  'playback.resumed': { says: 'A playback goes on.', payload: PLAYBACK },
  'playback.updated': {
    says: 'A playback has another volume, or goes on from another position.',
    payload: [...PLAYBACK, 'volume'],
  },
  'playback.ended': {
    says: 'A playback is over: it was `stopped`, is `finished`, its source is `lost`, or the `session_ended`.',
    payload: [...PLAYBACK, 'reason'],
  },
  'project.acted': {
    says: 'A back end of the project called a method of the session. `method` is its name in the client protocol.',
    payload: ['method', 'member_id', 'api_token_id'],
  },
  'history.mended': {
    says: 'Stored and running state differed, and what is stored was corrected.',
    payload: ['what', 'id'],
  },
} as const satisfies Record<string, EventDeclaration>

/** Name of an event. */
export type EventName = keyof typeof EVENTS

/** Fields of the payload of an event. The circumstances determine which of them are present. */
export type EventPayload<Name extends EventName> = Partial<
  Record<(typeof EVENTS)[Name]['payload'][number], unknown>
>

export const EVENT_NAMES = Object.keys(EVENTS) as [EventName, ...EventName[]]

/** Selects events: by name, or by the part of the name before the dot, such as `member.*`. */
export type EventPattern = EventName | `${string}.*`

const groupOf = (name: string): EventPattern => `${name.slice(0, name.indexOf('.'))}.*`

export const EVENT_PATTERNS: readonly EventPattern[] = [...new Set(EVENT_NAMES.map(groupOf)), ...EVENT_NAMES]

/** All events with their meaning and payload, as a Markdown list. */
export const eventsInWords = (): string =>
  Object.entries<EventDeclaration>(EVENTS)
    .map(
      ([name, { says, payload }]) =>
        `- \`${name}\`: ${says} \`payload\`: ${payload.map((field) => `\`${field}\``).join(', ')}.`,
    )
    .join('\n')
