import type { Clock } from '../../clock.ts'
import type { Claim } from '../../cluster/cluster.ts'
import type { EventPayload } from '../../resources/event-names.ts'
import { takeOver } from '../../resources/room-session.ts'
import type {
  CallRecord,
  MemberRecord,
  RoomRecord,
  SessionRecord,
  StreamRunRecord,
} from '../../storage/records.ts'
import type { Repositories } from '../../storage/storage.ts'
import type { Member } from './member.ts'
import type { EndCause } from './participant.ts'
import type { Placeable } from './requested-positions.ts'
import type { SessionWriteQueue } from './session-write-queue.ts'

/** Why a session ended. Written to its history. */
export type SessionEndReason =
  | 'empty'
  | 'member_left'
  | 'ended_by_member'
  | 'room_deleted'
  | 'media_worker_died'
  | 'shutdown'
  /** This node could not keep its claim on the room, or another one took it. */
  | 'ownership_lost'

/** How long a join waits for the database. Clients give up a request after 10 s. */
export const ADMISSION_PATIENCE_MS = 3000

/** Rows that storage has as open while a session is in progress, keyed by id. */
export interface OpenRecords {
  members: ReadonlyMap<string, MemberRecord>
  calls: ReadonlyMap<string, CallRecord>
  streams: ReadonlyMap<string, StreamRunRecord>
}

/** Writes the stored part of a session: its record, the records of its members and calls, and its events. */
export class SessionHistory {
  readonly #sessionId: string
  readonly #room: RoomRecord
  readonly #writes: SessionWriteQueue
  readonly #clock: Clock
  readonly #claim: Claim | null
  /** Calls that are in storage and have not ended. */
  readonly #calls = new Map<string, CallRecord>()
  #startedAt: number | null = null
  /** True if the session may be in storage, even though the start has not been confirmed. */
  #isStartTried = false
  /** When and why the session ended. Null until it ends, and again once storage has the end. */
  #unwrittenEnd: { endedAt: number; reason: SessionEndReason } | null = null

  constructor(options: {
    sessionId: string
    room: RoomRecord
    writes: SessionWriteQueue
    clock: Clock
    /** The claim of this node on the room; null without a cluster. */
    claim: Claim | null
  }) {
    this.#claim = options.claim
    this.#sessionId = options.sessionId
    this.#room = options.room
    this.#writes = options.writes
    this.#clock = options.clock
  }

  /** Whether the session is in storage. */
  /** Unix milliseconds; null before the start. */
  get startedAt(): number | null {
    return this.#startedAt
  }

  get isStarted(): boolean {
    return this.#startedAt !== null
  }

  /** The end of the session, while storage does not have it yet. */
  get unwrittenEnd(): { endedAt: number; reason: SessionEndReason } | null {
    return this.#unwrittenEnd
  }

  /**
   * Stores the session. May be called again after a failure.
   * @throws NotWrittenInTime, UniqueViolation when a session of that name is in progress
   */
  async start(): Promise<void> {
    const now = this.#clock.now()
    const record = this.#newRecord(now)
    const event = this.#writes.newEvent('room.started', {
      payload: { room_name: this.#room.name, room_session_id: this.#sessionId },
    })
    this.#isStartTried = true
    await this.#writes.commit(async (storage) => {
      // An earlier attempt may have written it.
      if (await storage.sessions.find(record.project_id, record.id)) return
      await storage.sessions.insert(record)
      await storage.events.append(event)
    }, ADMISSION_PATIENCE_MS)
    this.#startedAt = now
    this.#writes.tell(event)
  }

  /**
   * Stores a newcomer and its leg, before anybody is informed.
   * @param parentLegId leg of the member who owns the screen share or device
   * @throws NotWrittenInTime
   */
  async memberJoins(member: Member, legId: string, parentLegId: string | null): Promise<void> {
    const record = this.memberRecord(member)
    const call = this.#callRecord(legId, member, parentLegId)
    const event = this.#writes.newEvent('member.joined', { memberId: member.id, payload: describe(member) })
    await this.#writes.commit(async (storage) => {
      await storage.members.insert(record)
      await storage.calls.insert(call)
      await storage.events.append(event)
    }, ADMISSION_PATIENCE_MS)
    this.#calls.set(legId, call)
    this.#writes.tell(event)
  }

  /** Undoes {@link memberJoins} if the newcomer did not get in after all. */
  memberDidNotCome(member: Member, legId: string): void {
    this.#calls.set(legId, this.#callRecord(legId, member, null))
    this.callEnded(legId)
    this.memberLeft(member, 'not_admitted')
  }

  /** A member has a new leg in place of an earlier one. */
  callReplaced(member: Member, legId: string): void {
    const call = { ...this.#callRecord(legId, member, null), created_at: this.#clock.now() }
    this.#calls.set(legId, call)
    this.#writes.write((storage) => storage.calls.insert(call))
  }

  /** A viewer became a member, or a member a viewer. Its record goes on. @param by id of the member who asked for it, null for a back end */
  roleChanged(member: Member, by: string | null): void {
    const { type, terms } = member
    this.#writes.write((storage) => storage.members.update(this.#room.project_id, member.id, { type }))
    this.#writes.event(type === 'audience' ? 'member.demoted' : 'member.promoted', {
      memberId: member.id,
      payload: {
        ...describe(member),
        by,
        permissions: [...terms.permissions],
        media_allowed: terms.mediaAllowed,
      },
    })
  }

  /** @param reason `left`: the client hung up by itself. `not_admitted`: the client was told that it could not join */
  memberLeft(member: Member, reason: EndCause | 'left' | 'not_admitted'): void {
    const leaveTime = this.#clock.now()
    this.#writes.write((storage) =>
      storage.members.update(this.#room.project_id, member.id, { leave_time: leaveTime }),
    )
    this.#writes.event('member.left', {
      memberId: member.id,
      payload: { ...describe(member), reason, duration_ms: leaveTime - member.joinedAt },
    })
  }

  /** The connection of a member broke, or is back. */
  memberConnection(member: Member, name: 'member.lost' | 'member.back'): void {
    this.#writes.event(name, { memberId: member.id, payload: describe(member) })
  }

  get openCalls(): ReadonlyMap<string, CallRecord> {
    return this.#calls
  }

  /** Stores the running session again: storage lost it, or has it as completed. */
  async restore(storage: Repositories): Promise<void> {
    const { project_id } = this.#room
    if (await storage.sessions.find(project_id, this.#sessionId)) {
      const changes = { status: 'in-progress', end_time: null, updated_at: this.#clock.now() } as const
      await storage.sessions.update(project_id, this.#sessionId, changes)
    } else await storage.sessions.insert(this.#newRecord(this.#startedAt ?? this.#clock.now()))
  }

  /** Writes what storage lacks, and an event that says it was missing. */
  mend(write: (storage: Repositories) => Promise<unknown>, payload: EventPayload<'history.mended'>): void {
    this.#writes.write(write, 'vital')
    this.#writes.event('history.mended', { level: 'warning', payload })
  }

  /** A leg is gone. Does nothing if it never became a call. */
  callEnded(legId: string): void {
    if (!this.#calls.delete(legId)) return
    const endedAt = this.#clock.now()
    this.#writes.write((storage) => storage.calls.end(this.#room.project_id, legId, endedAt))
  }

  changed(changes: Pick<SessionRecord, 'locked'>): void {
    this.#update(changes)
  }

  /** Somebody set a layout, or requested a position for a member or a file. Not kept before the session is stored. */
  arrangementRequested(request: { layoutName: string } | { who: Placeable }): void {
    if (!this.isStarted) return
    if ('layoutName' in request) {
      this.#writes.event('layout.changed', { payload: { layout_name: request.layoutName } })
      return
    }
    const { id, requestedPosition } = request.who
    this.#writes.event('position.requested', { payload: { id, position: requestedPosition } })
  }

  /** Writes the end of the session. Does nothing if the session was never stored. */
  ended(reason: SessionEndReason, details: EventPayload<'room.ended'>): void {
    if (!this.#isStartTried) return
    const now = this.#clock.now()
    const isCertain = this.isStarted
    const { project_id } = this.#room
    const event = this.#writes.newEvent('room.ended', {
      level: reason === 'media_worker_died' || reason === 'ownership_lost' ? 'error' : 'info',
      payload: { reason, duration_ms: now - (this.#startedAt ?? now), ...details },
    })
    this.#unwrittenEnd = { endedAt: now, reason }
    this.#writes.tell(event)
    const end = async (storage: Repositories) => {
      if (!isCertain && !(await storage.sessions.find(project_id, this.#sessionId))) return
      const changes = { status: 'completed', end_time: now, alive_at: now, updated_at: now } as const
      await storage.sessions.update(project_id, this.#sessionId, changes)
      await storage.events.append(event)
    }
    this.#writes.write(end, 'vital', () => {
      this.#unwrittenEnd = null
    })
  }

  /** The stored form of a member. */
  memberRecord(member: Member): MemberRecord {
    return {
      id: member.id,
      project_id: this.#room.project_id,
      room_session_id: this.#sessionId,
      name: member.name,
      type: member.type,
      parent_id: member.parentId,
      join_time: member.joinedAt,
      leave_time: null,
    }
  }

  #callRecord(legId: string, member: Member, parentLegId: string | null): CallRecord {
    return {
      id: legId,
      project_id: this.#room.project_id,
      room_session_id: this.#sessionId,
      parent_id: parentLegId,
      from_name: member.name,
      to_name: this.#room.name,
      status: 'in-progress',
      created_at: member.joinedAt,
      ended_at: null,
    }
  }

  #newRecord(now: number): SessionRecord {
    return {
      ...takeOver(this.#room),
      id: this.#sessionId,
      room_id: this.#room.id,
      locked: false,
      status: 'in-progress',
      start_time: now,
      end_time: null,
      alive_at: now,
      owner_node: this.#claim?.node ?? null,
      owner_revision: this.#claim?.revision ?? null,
      created_at: now,
      updated_at: now,
    }
  }

  #update(changes: Partial<SessionRecord>): void {
    const stamped = { ...changes, updated_at: this.#clock.now() }
    this.#writes.write((storage) => storage.sessions.update(this.#room.project_id, this.#sessionId, stamped))
  }
}

/** Payload of events about a member. */
function describe(member: Member): EventPayload<'member.joined'> {
  return { member_id: member.id, name: member.name, type: member.type, parent_id: member.parentId }
}
