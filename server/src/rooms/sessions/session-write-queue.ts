import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import { newId } from '../../ids.ts'
import type { EventName, EventPayload } from '../../resources/event-names.ts'
import { isOutcomeUnknown, isPassingFailure } from '../../storage/passing-failure.ts'
import type { EventRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { WriteQueueBudget } from './write-queue-budget.ts'

/** What a write may touch. */
export type Repositories = Omit<Storage, 'transaction' | 'close'>

type Write = (storage: Repositories) => Promise<unknown>

/**
 * What is dropped first when too much waits for the database: events that only describe, then records of members, calls
 * and streams. What says that a session or a recording began or ended is never dropped.
 */
export type Importance = 'detail' | 'record' | 'vital'

/** What belongs to an event besides its name. */
export interface EventDetails<Name extends EventName> {
  level?: EventRecord['level']
  recordingId?: string
  memberId?: string
  payload?: EventPayload<Name>
  /** `detail` unless told otherwise. */
  importance?: Importance
}

/** Which session an event belongs to. */
export interface EventOwner {
  projectId: string
  roomId: string | null
  sessionId: string | null
}

/** The database did not take a write in time. */
export class NotWrittenInTime extends Error {
  override readonly name = 'NotWrittenInTime'
  /** The write is still tried, or may have been done: what undoes it must follow. Otherwise nothing is left of it. */
  readonly isStillTried: boolean

  constructor(isStillTried: boolean) {
    super('the database does not take writes now')
    this.isStillTried = isStillTried
  }
}

interface Entry {
  write: Write
  importance: Importance
  bytes: number
  /** It may be in the database although it failed. */
  isOutcomeUnknown: boolean
  /** Somebody waits for it. */
  waiter: { resolve: () => void; reject: (error: unknown) => void } | null
}

/** What one record takes in memory, about. */
const RECORD_BYTES = 500
/** Writes of one transaction: after a while without a database there may be many. */
const BATCH = 500
const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 2000
/** Part of the queue that goes at once when it is full. */
const DROPPED_AT_ONCE = 0.1

/**
 * Writes what happens in a session, in the order in which it happened, without keeping the session waiting. What comes
 * up while a write is under way goes to disk together, as one transaction. What the database cannot take now waits, in
 * order and up to a limit, and is tried until it is written; what it will never take is logged and dropped.
 */
export class SessionWriteQueue {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #log: Logger
  readonly #owner: EventOwner
  readonly #budget: WriteQueueBudget
  #queue: Entry[] = []
  #draining: Promise<void> | null = null
  /** Attempts in a row that failed for something that may pass. */
  #failures = 0
  #retry: { timer: Timer; wake: () => void } | null = null
  readonly #onStuck = new Set<() => void>()
  #isGivenUp = false
  #dropped = 0

  constructor(options: {
    storage: Storage
    clock: Clock
    log: Logger
    owner: EventOwner
    /** What all sessions share; by default it has its own. */
    budget?: WriteQueueBudget
  }) {
    this.#storage = options.storage
    this.#clock = options.clock
    this.#log = options.log
    this.#owner = options.owner
    this.#budget = (options.budget ?? WriteQueueBudget.overall()).ofSession()
  }

  /** Whether the database has refused what is to be written, and is being tried again. */
  get isStuck(): boolean {
    return this.#failures > 0
  }

  /**
   * Queues a write.
   * @param onWritten called once it is on disk
   */
  write(write: Write, importance: Importance = 'record', onWritten?: () => void): void {
    const waiter = onWritten ? { resolve: onWritten, reject: () => {} } : null
    this.#add({ write, importance, bytes: RECORD_BYTES, isOutcomeUnknown: false, waiter })
  }

  /** Queues an event of the session's history. */
  event<Name extends EventName>(name: Name, details: EventDetails<Name> = {}): void {
    const record = this.newEvent(name, details)
    this.#add({
      write: (storage) => storage.events.append(record),
      importance: details.importance ?? 'detail',
      bytes: RECORD_BYTES + JSON.stringify(record.payload).length,
      isOutcomeUnknown: false,
      waiter: null,
    })
  }

  /** An event as {@link event} writes it, for a write that has it beside something else. */
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
   * Writes something that must be on disk before the caller goes on. It is all or nothing, and done once however often
   * it is tried only if the write itself sees to that.
   * @throws NotWrittenInTime after `limitMs`
   * @throws what the database refuses it with, for good
   */
  commit(write: Write, limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry: Entry = {
        write,
        importance: 'vital',
        bytes: RECORD_BYTES,
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

  /** The same, or as soon as the database refuses to take it. */
  async flushedOrStuck(): Promise<void> {
    if (this.isStuck) return
    const { promise: stuck, resolve } = Promise.withResolvers<void>()
    this.#onStuck.add(resolve)
    await Promise.race([this.flushed(), stuck])
    this.#onStuck.delete(resolve)
  }

  /** The server ends: what the database refuses from now on is not tried again. */
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

  /** @returns whether nothing is left of it, and nothing came of it */
  #withdraw(entry: Entry): boolean {
    const index = entry.isOutcomeUnknown ? -1 : this.#queue.indexOf(entry)
    if (index < 0) return false
    this.#queue.splice(index, 1)
    this.#budget.remove(entry.bytes)
    return true
  }

  /** Drops the oldest of what matters least. */
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
    // A turn of the event loop gathers what one happening causes.
    await Promise.resolve()
    while (this.#queue.length > 0) {
      const { left, failure } = await this.#attempt(this.#queue.splice(0, BATCH))
      this.#queue.unshift(...left)
      if (failure === null) this.#recovered()
      else await this.#failed(failure)
    }
    this.#draining = null
  }

  /** @returns what could not be written now, and why */
  async #attempt(batch: Entry[]): Promise<{ left: Entry[]; failure: unknown }> {
    try {
      await this.#storage.transaction(async (storage) => {
        for (const entry of batch) await entry.write(storage)
      })
    } catch (error) {
      if (!isPassingFailure(error)) return this.#attemptEach(batch)
      this.#note(batch, error)
      return { left: batch, failure: error }
    }
    for (const entry of batch) this.#done(entry)
    return { left: [], failure: null }
  }

  /** One of them will never be written, and must not hold up the others. */
  async #attemptEach(batch: Entry[]): Promise<{ left: Entry[]; failure: unknown }> {
    for (const [index, entry] of batch.entries()) {
      try {
        await this.#storage.transaction((storage) => entry.write(storage))
        this.#done(entry)
      } catch (error) {
        if (isPassingFailure(error)) {
          this.#note([entry], error)
          return { left: batch.slice(index), failure: error }
        }
        this.#refused(entry, error)
      }
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
    // It is in the database since an attempt whose answer was lost.
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
