import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import { newId } from '../../ids.ts'
import type { EventName, EventPayload } from '../../resources/event-names.ts'
import { isOutcomeUnknown, isPassingFailure } from '../../storage/passing-failure.ts'
import type { EventRecord } from '../../storage/records.ts'
import type { Repositories, Storage } from '../../storage/storage.ts'
import { NO_COUNTS, type SessionCounts } from './session-counts.ts'
import { logEvent } from './session-log.ts'
import { WriteQueueBudget } from './write-queue-budget.ts'

type Write = (storage: Repositories) => Promise<unknown>

/**
 * Importance of a write. When too much waits for the database, `detail` (events that only describe) is dropped first,
 * then `record` (members, calls and streams). `vital` (a session or a recording began or ended) is never dropped.
 */
export type Importance = 'detail' | 'record' | 'vital'

/** Details of an event besides its name. */
export interface EventDetails<Name extends EventName> {
  level?: EventRecord['level']
  recordingId?: string
  memberId?: string
  payload?: EventPayload<Name>
  /** Default: `detail`. */
  importance?: Importance
}

/** Which session an event belongs to. */
export interface EventOwner {
  projectId: string
  roomId: string | null
  sessionId: string | null
}

/** The database did not accept a write in time. */
export class NotWrittenInTime extends Error {
  override readonly name = 'NotWrittenInTime'
  /**
   * True if the write is still being tried or may have been done. The caller must then queue a write that undoes it.
   * False: the write was withdrawn without effect.
   */
  readonly isStillTried: boolean

  constructor(isStillTried: boolean) {
    super('the database does not take writes now')
    this.isStillTried = isStillTried
  }
}

/** Another node owns the session. Nothing of this one is written any more. */
export class OwnedByAnother extends Error {
  override readonly name = 'OwnedByAnother'
}

interface Entry {
  write: Write
  importance: Importance
  bytes: number
  /** The write is one statement, which is atomic by itself. */
  isOneStatement: boolean
  /** The write may be in the database although its attempt failed. */
  isOutcomeUnknown: boolean
  /** Set if a caller waits for this write. */
  waiter: { resolve: () => void; reject: (error: unknown) => void } | null
}

/** Approximate size of one record in memory. */
const RECORD_BYTES = 500
/** Maximum number of writes in one transaction. After a database outage, many may wait. */
const BATCH = 500
const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 2000
/** Fraction of the queue that is dropped at once when it is full. */
const DROPPED_AT_ONCE = 0.1

/**
 * Writes what happens in a session, in order, without delaying the session. Entries that arrive while a write is
 * under way are written together in one transaction. If the database cannot accept a write now, it waits in order,
 * within a memory limit, and is tried until it succeeds. A write that the database will never accept is logged and
 * dropped.
 */
export class SessionWriteQueue {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #log: Logger
  readonly #owner: EventOwner
  readonly #counts: Pick<SessionCounts, 'event'>
  readonly #budget: WriteQueueBudget
  #queue: Entry[] = []
  #draining: Promise<void> | null = null
  /** Number of consecutive attempts that failed for a reason that may pass. */
  #failures = 0
  #retry: { timer: Timer; wake: () => void } | null = null
  readonly #onStuck = new Set<() => void>()
  /** Checks in a transaction that the session is still this node's. */
  readonly #fence: ((storage: Repositories) => Promise<boolean>) | null
  readonly #onFenced: () => void
  #isFenced = false
  #isGivenUp = false
  #dropped = 0

  constructor(options: {
    storage: Storage
    clock: Clock
    log: Logger
    owner: EventOwner
    /** Budget shared by all sessions. Default: a budget of its own. */
    budget?: WriteQueueBudget
    counts?: Pick<SessionCounts, 'event'>
    /** In a cluster: resolves to false once another node owns the session. It runs first in each transaction. */
    fence?: ((storage: Repositories) => Promise<boolean>) | null
    /** Called once, when a write was refused by the fence. */
    onFenced?: () => void
  }) {
    this.#storage = options.storage
    this.#clock = options.clock
    this.#log = options.log
    this.#owner = options.owner
    this.#counts = options.counts ?? NO_COUNTS
    this.#fence = options.fence ?? null
    this.#onFenced = options.onFenced ?? (() => {})
    this.#budget = (options.budget ?? WriteQueueBudget.overall()).ofSession()
  }

  /** Whether the last write failed and is being tried again. */
  get isStuck(): boolean {
    return this.#failures > 0
  }

  /**
   * Queues a write.
   * @param onWritten called once it is on disk
   */
  write(write: Write, importance: Importance = 'record', onWritten?: () => void): void {
    const waiter = onWritten ? { resolve: onWritten, reject: () => {} } : null
    this.#add({
      write,
      importance,
      bytes: RECORD_BYTES,
      isOneStatement: false,
      isOutcomeUnknown: false,
      waiter,
    })
  }

  /** Queues an event of the session's history. */
  event<Name extends EventName>(name: Name, details: EventDetails<Name> = {}): void {
    const record = this.newEvent(name, details)
    this.tell(record)
    this.#add({
      write: (storage) => storage.events.append(record),
      importance: details.importance ?? 'detail',
      bytes: RECORD_BYTES + JSON.stringify(record.payload).length,
      isOneStatement: true,
      isOutcomeUnknown: false,
      waiter: null,
    })
  }

  /** Logs and counts an event. {@link event} does it by itself. */
  tell(event: EventRecord): void {
    logEvent(this.#log, event)
    this.#counts.event(event.name as EventName)
  }

  /** Builds an event as {@link event} writes it, for a write that stores it together with other data. */
  newEvent<Name extends EventName>(name: Name, details: EventDetails<Name> = {}): EventRecord {
    return {
      id: newId(),
      project_id: this.#owner.projectId,
      room_id: this.#owner.roomId,
      room_session_id: this.#owner.sessionId,
      room_recording_id: details.recordingId ?? null,
      room_participant_id: details.memberId ?? null,
      level: details.level ?? 'info',
      name,
      payload: details.payload ?? {},
      created_at: this.#clock.now(),
    }
  }

  /**
   * Writes something that must be on disk before the caller continues. The write is atomic. It may run more than
   * once; it has a single effect only if `write` itself ensures that.
   * @throws NotWrittenInTime after `limitMs`
   * @throws the database's own error if it refuses the write for good
   */
  commit(write: Write, limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry: Entry = {
        write,
        importance: 'vital',
        bytes: RECORD_BYTES,
        isOneStatement: false,
        isOutcomeUnknown: false,
        waiter: null,
      }
      const timer = this.#clock.after(limitMs, () => {
        entry.waiter = null
        reject(new NotWrittenInTime(!this.#withdraw(entry)))
      })
      const settled = (settle: () => void) => () => {
        timer.cancel()
        settle()
      }
      entry.waiter = {
        resolve: settled(resolve),
        reject: (error) => settled(() => reject(error))(),
      }
      this.#add(entry)
      this.#retry?.wake()
    })
  }

  /** Resolves when everything queued so far is on disk, or dropped for good. */
  async flushed(): Promise<void> {
    this.#retry?.wake()
    while (this.#draining) await this.#draining
  }

  /** Like {@link flushed}, but also resolves as soon as the database refuses a write. */
  async flushedOrStuck(): Promise<void> {
    if (this.isStuck) return
    const { promise: stuck, resolve } = Promise.withResolvers<void>()
    this.#onStuck.add(resolve)
    await Promise.race([this.flushed(), stuck])
    this.#onStuck.delete(resolve)
  }

  /** Called when the server stops. Writes that the database refuses from now on are not tried again. */
  giveUp(): void {
    this.#isGivenUp = true
    this.#retry?.wake()
  }

  #add(entry: Entry): void {
    this.#queue.push(entry)
    this.#budget.add(entry.bytes)
    if (this.#budget.isExceeded) this.#makeRoom()
    this.#draining ??= this.#drain()
  }

  /** @returns true if the entry was removed from the queue and had no effect */
  #withdraw(entry: Entry): boolean {
    const index = entry.isOutcomeUnknown ? -1 : this.#queue.indexOf(entry)
    if (index < 0) return false
    this.#queue.splice(index, 1)
    this.#budget.remove(entry.bytes)
    return true
  }

  /** Drops the oldest entries of the lowest importance. */
  #makeRoom(): void {
    for (const importance of ['detail', 'record'] as const) {
      let surplus = Math.max(1, Math.ceil(this.#queue.length * DROPPED_AT_ONCE))
      const before = this.#queue.length
      this.#queue = this.#queue.filter((entry) => {
        if (entry.importance !== importance || surplus === 0) return true
        surplus--
        this.#budget.remove(entry.bytes)
        return false
      })
      const dropped = before - this.#queue.length
      if (dropped === 0) continue
      this.#dropped += dropped
      const { sessionId } = this.#owner
      this.#log.error(
        { sessionId, importance, dropped, droppedSoFar: this.#dropped },
        'too much waits for the database: part of the history of a session was dropped',
      )
      return
    }
  }

  async #drain(): Promise<void> {
    // Wait one microtask: all writes that one event causes go into the same batch.
    await Promise.resolve()
    while (this.#queue.length > 0) {
      const { left, failure } = await this.#attempt(this.#queue.splice(0, BATCH))
      this.#queue.unshift(...left)
      if (failure === null) this.#recovered()
      else await this.#failed(failure)
    }
    this.#draining = null
  }

  /** @returns the entries that could not be written now, and the reason */
  async #attempt(batch: Entry[]): Promise<{ left: Entry[]; failure: unknown }> {
    try {
      await this.#writeTogether(batch)
    } catch (error) {
      if (error instanceof OwnedByAnother) return this.#fenced(batch, error)
      if (!isPassingFailure(error)) return this.#attemptEach(batch)
      this.#note(batch, error)
      return { left: batch, failure: error }
    }
    for (const entry of batch) this.#done(entry)
    return { left: [], failure: null }
  }

  /** Writes the entries one by one. One of them will never be accepted, and must not block the others. */
  async #attemptEach(batch: Entry[]): Promise<{ left: Entry[]; failure: unknown }> {
    for (const [index, entry] of batch.entries()) {
      try {
        await this.#transaction(async (storage) => {
          await entry.write(storage)
        })
        this.#done(entry)
      } catch (error) {
        if (error instanceof OwnedByAnother) return this.#fenced(batch.slice(index), error)
        if (isPassingFailure(error)) {
          this.#note([entry], error)
          return { left: batch.slice(index), failure: error }
        }
        this.#refused(entry, error)
      }
    }
    return { left: [], failure: null }
  }

  async #writeTogether(batch: readonly Entry[]): Promise<void> {
    const [first] = batch
    if (first?.isOneStatement && batch.length === 1 && !this.#fence) {
      // A transaction would take one more turn of the event loop, and only one is open at a time.
      await first.write(this.#storage)
      return
    }
    await this.#transaction(async (storage) => {
      for (const entry of batch) await entry.write(storage)
    })
  }

  #transaction(work: (storage: Repositories) => Promise<void>): Promise<void> {
    const fence = this.#fence
    if (!fence) return this.#storage.transaction(work)
    return this.#storage.transaction(async (storage) => {
      if (this.#isFenced || !(await fence(storage))) throw new OwnedByAnother('another node owns the session')
      await work(storage)
    })
  }

  /** Drops everything: the other node has completed the session. */
  #fenced(batch: Entry[], error: OwnedByAnother): { left: Entry[]; failure: unknown } {
    const dropped = [...batch, ...this.#queue.splice(0)]
    for (const entry of dropped) this.#giveBack(entry, error)
    if (!this.#isFenced) {
      this.#isFenced = true
      const { sessionId } = this.#owner
      this.#log.error({ sessionId, dropped: dropped.length }, 'another node owns the session')
      this.#onFenced()
    }
    return { left: [], failure: null }
  }

  #note(entries: Entry[], error: unknown): void {
    if (isOutcomeUnknown(error)) for (const entry of entries) entry.isOutcomeUnknown = true
  }

  #done(entry: Entry): void {
    this.#budget.remove(entry.bytes)
    entry.waiter?.resolve()
  }

  #refused(entry: Entry, error: unknown): void {
    this.#budget.remove(entry.bytes)
    const { sessionId } = this.#owner
    // An earlier attempt wrote it, but its answer was lost.
    if (entry.isOutcomeUnknown) this.#log.debug({ err: error, sessionId }, 'written before')
    else this.#log.error({ err: error, sessionId }, 'history of a session not written')
    if (entry.isOutcomeUnknown) entry.waiter?.resolve()
    else entry.waiter?.reject(error)
  }

  #recovered(): void {
    if (this.#failures === 0) return
    this.#failures = 0
    this.#log.info({ sessionId: this.#owner.sessionId }, 'the history of a session is written again')
  }

  async #failed(error: unknown): Promise<void> {
    const { sessionId } = this.#owner
    const waiting = this.#queue.length
    if (this.#isGivenUp) {
      this.#log.error({ err: error, sessionId, dropped: waiting }, 'history of a session not written')
      for (const entry of this.#queue.splice(0)) this.#giveBack(entry, error)
      return
    }
    if (this.#failures++ === 0) {
      this.#log.error({ err: error, sessionId, waiting }, 'history of a session cannot be written now')
      for (const stuck of this.#onStuck) stuck()
    }
    const delayMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#failures - 1))
    await new Promise<void>((wake) => {
      const timer = this.#clock.after(delayMs, wake)
      this.#retry = { timer, wake }
    })
    this.#retry?.timer.cancel()
    this.#retry = null
  }

  #giveBack(entry: Entry, error: unknown): void {
    this.#budget.remove(entry.bytes)
    entry.waiter?.reject(error)
  }
}
