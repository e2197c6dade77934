import { type Actor, type AuditAction, recordAct } from '../audit/audit.ts'
import type { Chat } from '../chat/chat.ts'
import type { Clock } from '../clock.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import { Refusal } from '../errors/refusal.ts'
import type { Targets } from '../outgoing/targets.ts'
import type { LayoutName } from '../resources/layout-names.ts'
import { unrecognized } from '../rooms/changes.ts'
import type { LiveSession } from '../rooms/sessions/live-session.ts'
import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'
import { STREAM_PROTOCOLS } from '../rooms/streams.ts'
import type { AuditRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { hasChat } from './show-live-room.ts'

/** Who acts on which running room. */
export interface RoomAct {
  projectId: string
  sessionId: string
  actor: Actor
}

/**
 * What somebody does to a running room without being in it. Each act is in the audit log once it is done.
 * All methods throw the Refusal `provided_id_is_unrecognized` if the room does not run.
 */
export interface RoomActs {
  /** @param memberId null for everybody. @throws Refusal `media_failed` */
  mute(act: RoomAct, memberId: string | null): Promise<void>
  setLocked(act: RoomAct, locked: boolean): Promise<void>
  /** Resolves when the picture is arranged so. @throws Refusal `media_failed` */
  setLayout(act: RoomAct, layout: LayoutName): Promise<void>
  /** @returns the name under which it is read. @throws Refusal `room_is_not_chat_enabled`, `message_length_exceeds_limit` */
  say(act: RoomAct, text: string): Promise<string>
  /** @throws Refusal as `SessionRecordings.start` */
  record(act: RoomAct): Promise<void>
  stopRecording(act: RoomAct): Promise<void>
  /**
   * Streams the session until it ends.
   * @returns whether the destination took it. If not, nothing is left of it
   * @throws Refusal `url_failed_to_parse`, `url_is_unsafe`, `exceeds_platform_stream_limit`
   */
  stream(act: RoomAct, url: string): Promise<'taken' | 'unreachable'>
  stopStreams(act: RoomAct): Promise<void>
  end(act: RoomAct): Promise<void>
}

export interface RoomActsOptions {
  sessions: Pick<SessionRegistry, 'runningSession'>
  chat: Pick<Chat, 'announce'>
  storage: Pick<Storage, 'audit'>
  targets: Pick<Targets, 'check'>
  clock: Clock
  /** Whether rooms that are no conferences have a chat. */
  roomChat: boolean
}

/** Name in the chat for whoever acts with an API token. */
const NAMELESS = 'Operator'

/** Creates {@link RoomActs}. */
export function createRoomActs({
  sessions,
  chat,
  storage,
  targets,
  clock,
  roomChat,
}: RoomActsOptions): RoomActs {
  function find({ projectId, sessionId }: RoomAct): LiveSession {
    const session = sessions.runningSession(projectId, sessionId)
    if (!session) throw unrecognized()
    return session
  }

  async function note(
    { actor, projectId, sessionId }: RoomAct,
    action: AuditAction,
    session: LiveSession,
    details: AuditRecord['details'] = {},
  ): Promise<void> {
    const about = { room_name: session.name, ...details }
    await recordAct(storage, { actor, action, projectId, target: sessionId, details: about }, clock.now())
  }

  return {
    async mute(act, memberId) {
      const session = find(act)
      const all = session.members.filter(({ audioMuted }) => !audioMuted)
      const muted = memberId === null ? all : [memberOf(session, memberId)]
      await Promise.all(muted.map((member) => session.changes.change(member, { audio_muted: true })))
      const [only] = muted
      await note(act, 'room_session.mute', session, memberId !== null && only ? { member: only.name } : {})
    },

    async setLocked(act, locked) {
      const session = find(act)
      session.changes.changeRoom({ locked })
      await note(act, locked ? 'room_session.lock' : 'room_session.unlock', session)
    },

    async setLayout(act, layout) {
      const session = find(act)
      session.arrangement.setLayout(layout)
      await session.picture.confirmed()
      await note(act, 'room_session.layout', session, { layout })
    },

    async say(act, text) {
      const session = find(act)
      if (!hasChat(session, roomChat)) throw new Refusal('room_is_not_chat_enabled')
      const memberName = act.actor.kind === 'user' ? act.actor.name : NAMELESS
      const seat = { roomSessionId: session.id, roomName: session.name, memberName }
      await chat.announce(act.projectId, seat, text)
      await note(act, 'room_session.message', session)
      return memberName
    },

    async record(act) {
      const session = find(act)
      await session.recordings.start()
      await note(act, 'room_session.record', session)
    },

    async stopRecording(act) {
      const session = find(act)
      for (const { id } of session.recordings.running) session.recordings.stop(id)
      await note(act, 'room_session.stop_recording', session)
    },

    async stream(act, url) {
      const session = find(act)
      await targets.check(url, STREAM_PROTOCOLS, 'url')
      try {
        await session.streams.start(url)
      } catch (error) {
        // The address was good, so its name leads nowhere, or its server took no stream.
        if (isRefusal(error, 'stream_not_accepted', 'invalid_parameter')) return 'unreachable'
        throw error
      }
      await note(act, 'room_session.stream', session)
      return 'taken'
    },

    async stopStreams(act) {
      const session = find(act)
      for (const { id } of session.streams.running) session.streams.stop(id)
      await note(act, 'room_session.stop_streams', session)
    },

    async end(act) {
      const session = find(act)
      await session.end('ended_by_member')
      await note(act, 'room_session.end', session)
    },
  }
}

const isRefusal = (error: unknown, ...codes: ErrorCode[]) =>
  error instanceof Refusal && codes.includes(error.code)

function memberOf(session: LiveSession, memberId: string) {
  const member = session.member(memberId)
  if (!member || member.isAudience) {
    throw new Refusal('provided_id_is_unrecognized', { attribute: 'member_id' })
  }
  return member
}
