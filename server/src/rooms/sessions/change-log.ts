import type { Clock, Timer } from '../../clock.ts'
import type { Member } from './member.ts'
import type { SessionWriteQueue } from './session-write-queue.ts'

/**
 * At most one event in this time for each member and for the room. Changes in between are written together, with the
 * last value of each field, because a volume slider changes dozens of times a second.
 */
const PACE_MS = 1000

/** What changed and is not written yet, and when it will be. */
interface Gathering {
  changed: object
  timer: Timer
}

/** Writes the changes of members and of the room to the history of a session. */
export class ChangeLog {
  readonly #writes: Pick<SessionWriteQueue, 'event'>
  readonly #clock: Clock
  readonly #isStored: () => boolean
  /** By member. The room is null. */
  readonly #gatherings = new Map<Member | null, Gathering>()

  /** @param isStored whether storage has the session. Changes before that are not kept */
  constructor(writes: Pick<SessionWriteQueue, 'event'>, clock: Clock, isStored: () => boolean) {
    this.#writes = writes
    this.#clock = clock
    this.#isStored = isStored
  }

  /** @param changed new values by field */
  member(member: Member, changed: object): void {
    this.#note(member, changed)
  }

  /** @param changed new values by field */
  room(changed: object): void {
    this.#note(null, changed)
  }

  /** Writes what is gathered for a member that leaves. Its departure is to be written after that. */
  close(member: Member): void {
    this.#close(member)
  }

  /** Writes what is gathered. The end of the session is to be written after that. */
  closeAll(): void {
    for (const subject of [...this.#gatherings.keys()]) this.#close(subject)
  }

  #note(subject: Member | null, changed: object): void {
    if (!this.#isStored()) return
    const gathering = this.#gatherings.get(subject)
    if (gathering) Object.assign(gathering.changed, changed)
    else this.#write(subject, changed)
  }

  #write(subject: Member | null, changed: object): void {
    const timer = this.#clock.after(PACE_MS, () => this.#next(subject))
    this.#gatherings.set(subject, { changed: {}, timer })
    if (!subject) {
      this.#writes.event('room.updated', { payload: { changed } })
      return
    }
    const { id, name, type, parentId } = subject
    const payload = { member_id: id, name, type, parent_id: parentId, changed }
    this.#writes.event('member.updated', { memberId: id, payload })
  }

  #next(subject: Member | null): void {
    const changed = this.#gatherings.get(subject)?.changed ?? {}
    this.#gatherings.delete(subject)
    if (Object.keys(changed).length > 0) this.#write(subject, changed)
  }

  #close(subject: Member | null): void {
    this.#gatherings.get(subject)?.timer.cancel()
    this.#next(subject)
    this.#gatherings.get(subject)?.timer.cancel()
    this.#gatherings.delete(subject)
  }
}
