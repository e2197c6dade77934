import type { Clock } from '../../clock.ts'
import type { RoomRecord, SessionRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Member } from './member.ts'
import type { EndCause } from './participant.ts'
import type { SessionJournal } from './session-journal.ts'

/** Why a session ended; goes into its history. */
export type SessionEndReason = 'empty' | 'member_left' | 'room_deleted' | 'media_worker_died' | 'shutdown'

/** What of a session's life is kept: its record, those of its members, and the events. */
export class SessionHistory {
  readonly #sessionId: string
  readonly #room: RoomRecord
  readonly #storage: Storage
  readonly #journal: SessionJournal
  readonly #clock: Clock
  /** Ids of the calls that are in storage and not over. */
  readonly #calls = new Set<string>()
  #startedAt: number | null = null

  constructor(options: {
    sessionId: string
    room: RoomRecord
    storage: Storage
    journal: SessionJournal
    clock: Clock
  }) {
    this.#sessionId = options.sessionId
    this.#room = options.room
    this.#storage = options.storage
    this.#journal = options.journal
    this.#clock = options.clock
  }

  /** Whether the session is in storage. */
  get isStarted(): boolean {
    return this.#startedAt !== null
  }

  /** Puts the session into storage. Rejects with what storage rejects with. */
  async start(): Promise<void> {
    const now = this.#clock.now()
    await this.#storage.sessions.insert(this.#newRecord(now))
    this.#startedAt = now
    this.#journal.event('room.started', {
      payload: { room_name: this.#room.name, room_session_id: this.#sessionId },
    })
  }

  memberJoined(member: Member): void {
    const record = {
      id: member.id,
      project_id: this.#room.project_id,
      room_session_id: this.#sessionId,
      name: member.name,
      type: member.type,
      parent_id: member.parentId,
      join_time: member.joinedAt,
      leave_time: null,
    }
    this.#journal.write((storage) => storage.members.insert(record))
    this.#journal.event('member.joined', { memberId: member.id, payload: describe(member) })
  }

  /** @param reason `left`: the client hung up by itself */
  memberLeft(member: Member, reason: EndCause | 'left'): void {
    const leaveTime = this.#clock.now()
    this.#journal.write((storage) =>
      storage.members.update(this.#room.project_id, member.id, { leave_time: leaveTime }),
    )
    this.#journal.event('member.left', {
      memberId: member.id,
      payload: { ...describe(member), reason, duration_ms: leaveTime - member.joinedAt },
    })
  }

  /**
   * A leg was answered and its member has its seat.
   * @param parentLegId of the member that a screen share or device belongs to
   */
  callBegan(legId: string, member: Member, parentLegId: string | null): void {
    const record = {
      id: legId,
      project_id: this.#room.project_id,
      room_session_id: this.#sessionId,
      parent_id: parentLegId,
      from_name: member.name,
      to_name: this.#room.name,
      status: 'in-progress' as const,
      created_at: member.joinedAt,
      ended_at: null,
    }
    this.#calls.add(legId)
    this.#journal.write((storage) => storage.calls.insert(record))
  }

  /** A leg is gone; nothing where it never became a call. */
  callEnded(legId: string): void {
    if (!this.#calls.delete(legId)) return
    const endedAt = this.#clock.now()
    this.#journal.write((storage) => storage.calls.end(this.#room.project_id, legId, endedAt))
  }

  changed(changes: Pick<SessionRecord, 'locked'>): void {
    this.#update(changes)
  }

  ended(reason: SessionEndReason, details: Record<string, unknown>): void {
    const now = this.#clock.now()
    this.#update({ status: 'completed', end_time: now, alive_at: now })
    this.#journal.event('room.ended', {
      level: reason === 'media_worker_died' ? 'error' : 'info',
      payload: { reason, duration_ms: now - (this.#startedAt ?? now), ...details },
    })
  }

  #newRecord(now: number): SessionRecord {
    const { description: _, conference: __, ...settings } = this.#room
    return {
      ...settings,
      id: this.#sessionId,
      room_id: this.#room.id,
      locked: false,
      status: 'in-progress',
      start_time: now,
      end_time: null,
      alive_at: now,
      created_at: now,
      updated_at: now,
    }
  }

  #update(changes: Partial<SessionRecord>): void {
    const stamped = { ...changes, updated_at: this.#clock.now() }
    this.#journal.write((storage) => storage.sessions.update(this.#room.project_id, this.#sessionId, stamped))
  }
}

/** What the history says about a member. */
function describe(member: Member): Record<string, unknown> {
  return { member_id: member.id, name: member.name, type: member.type, parent_id: member.parentId }
}
