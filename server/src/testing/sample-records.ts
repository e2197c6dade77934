import { newId } from '../ids.ts'
import { conferenceSettings } from '../resources/conference-settings.ts'
import { defaultsOf } from '../resources/records.ts'
import { roomFields } from '../resources/room-fields.ts'
import { sessionFields } from '../resources/room-session.ts'
import { webhookFields } from '../resources/webhook.ts'
import type {
  ApiTokenRecord,
  CallRecord,
  ChatMessageRecord,
  ConferenceTokenRecord,
  EventRecord,
  MemberRecord,
  RecordingRecord,
  RoomRecord,
  SessionRecord,
  StreamRecord,
  StreamRunRecord,
  WebhookRecord,
} from '../storage/records.ts'

/** Complete records for tests. A test gives only the fields that it is about. */

const settings = { ...defaultsOf(roomFields), fps: 20 } as const

export function sampleRoom(fields: Partial<RoomRecord> & { project_id: string }): RoomRecord {
  const id = fields.id ?? newId()
  const now = Date.now()
  return {
    ...settings,
    id,
    name: `room-${id}`,
    created_at: now,
    updated_at: now,
    ...fields,
  }
}

export function sampleSession(fields: Partial<SessionRecord> & { project_id: string }): SessionRecord {
  const id = fields.id ?? newId()
  const now = Date.now()
  return {
    ...defaultsOf(sessionFields),
    fps: 20,
    id,
    name: `room-${id}`,
    room_id: null,
    locked: false,
    status: 'in-progress',
    start_time: now,
    end_time: null,
    alive_at: now,
    created_at: now,
    updated_at: now,
    ...fields,
  }
}

export function sampleMember(
  fields: Partial<MemberRecord> & { project_id: string; room_session_id: string },
): MemberRecord {
  return {
    id: newId(),
    name: 'Ada',
    type: 'member',
    parent_id: null,
    join_time: Date.now(),
    leave_time: null,
    ...fields,
  }
}

export function sampleCall(
  fields: Partial<CallRecord> & { project_id: string; room_session_id: string },
): CallRecord {
  return {
    id: newId(),
    parent_id: null,
    from_name: 'Ada',
    to_name: 'standup',
    status: fields.ended_at == null ? 'in-progress' : 'completed',
    created_at: Date.now(),
    ended_at: null,
    ...fields,
  }
}

export function sampleChatMessage(
  fields: Partial<ChatMessageRecord> & { project_id: string },
): ChatMessageRecord {
  return {
    id: newId(),
    channel: 'lobby',
    room_session_id: null,
    member_id: 'ada',
    from_name: null,
    to_name: null,
    content: '"hello"',
    meta: null,
    created_at: Date.now(),
    ...fields,
  }
}

export function sampleRecording(
  fields: Partial<RecordingRecord> & { project_id: string; room_session_id: string },
): RecordingRecord {
  const id = fields.id ?? newId()
  const now = Date.now()
  return {
    id,
    room_id: null,
    room_name: 'room',
    status: 'completed',
    started_at: now,
    finished_at: now,
    duration_ms: 1000,
    size_in_bytes: 100,
    place: 'disk',
    stored_at: null,
    sha256: null,
    format: 'video/mp4',
    file: `${id}.mp4`,
    created_at: now,
    updated_at: now,
    ...fields,
  }
}

export function sampleApiToken(fields: Partial<ApiTokenRecord> & { project_id: string }): ApiTokenRecord {
  return {
    id: newId(),
    name: 'token',
    hash: '0'.repeat(64),
    scopes: ['video'],
    last_used_at: null,
    created_at: Date.now(),
    ...fields,
  }
}

export function sampleConference(fields: Partial<RoomRecord> & { project_id: string }): RoomRecord {
  return sampleRoom({ conference: defaultsOf(conferenceSettings), ...fields })
}

export function sampleConferenceToken(
  fields: Partial<ConferenceTokenRecord> & { project_id: string; conference_id: string },
): ConferenceTokenRecord {
  const id = fields.id ?? newId()
  const now = Date.now()
  return {
    id,
    name: 'guest',
    hash: `hash of ${id}`,
    sealed: `sealed ${id}`,
    scopes: ['room.self.audio_mute'],
    created_at: now,
    updated_at: now,
    ...fields,
  }
}

export function sampleStream(
  fields: Partial<StreamRecord> & { project_id: string; room_id: string },
): StreamRecord {
  const now = Date.now()
  return { id: newId(), sealed_url: 'sealed', created_at: now, updated_at: now, ...fields }
}

export function sampleStreamRun(
  fields: Partial<StreamRunRecord> & { project_id: string; room_session_id: string },
): StreamRunRecord {
  const now = Date.now()
  return {
    id: newId(),
    stream_id: null,
    status: 'streaming',
    started_at: now,
    ended_at: null,
    created_at: now,
    updated_at: now,
    ...fields,
  }
}

export function sampleEvent(fields: Partial<EventRecord> & { project_id: string }): EventRecord {
  return {
    id: newId(),
    room_id: null,
    room_session_id: null,
    room_recording_id: null,
    room_participant_id: null,
    level: 'info',
    name: 'member.joined',
    payload: {},
    created_at: Date.now(),
    ...fields,
  }
}

export function sampleWebhook(fields: Partial<WebhookRecord> & { project_id: string }): WebhookRecord {
  const now = Date.now()
  return {
    ...defaultsOf(webhookFields),
    id: newId(),
    url: 'https://hooks.example.com/',
    description: '',
    enabled: true,
    sealed_secret: 'sealed',
    created_at: now,
    updated_at: now,
    ...fields,
  }
}
