import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import { newId } from '../../ids.ts'
import type { EventRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'

/** What a write may touch. */
export type Repositories = Omit<Storage, 'transaction' | 'close'>

type Write = (storage: Repositories) => Promise<unknown>

/** What belongs to an event besides its name. */
export interface EventDetails {
  level?: EventRecord['level']
  recordingId?: string
  memberId?: string
  payload?: Record<string, unknown>
}

/** Which session an event belongs to. */
export interface EventOwner {
  projectId: string
  roomId: string | null
  sessionId: string | null
}

/**
 * Writes what happens in a session, in the order in which it happened, without keeping the session waiting. What comes
 * up while a write is under way goes to disk together, as one transaction.
 */
export class SessionJournal {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #log: Logger
  readonly #owner: EventOwner
  #queue: Write[] = []
  #draining: Promise<void> | null = null

  constructor(options: { storage: Storage; clock: Clock; log: Logger; owner: EventOwner }) {
    this.#storage = options.storage
    this.#clock = options.clock
    this.#log = options.log
    this.#owner = options.owner
  }

  /** Queues a write. A write that fails is logged and does not hold up the next. */
  write(write: Write): void {
    this.#queue.push(write)
    this.#draining ??= this.#drain()
  }

  /** Queues an event of the session's history. */
  event(name: string, details: EventDetails = {}): void {
    const record = this.#record(name, details)
    this.write((storage) => storage.events.append(record))
  }

  /** Resolves when everything queued so far is on disk, or has failed. */
  async flushed(): Promise<void> {
    while (this.#draining) await this.#draining
  }

  #record(name: string, details: EventDetails): EventRecord {
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

  async #drain(): Promise<void> {
    // A turn of the event loop gathers what one happening causes.
    await Promise.resolve()
    while (this.#queue.length > 0) {
      const batch = this.#queue
      this.#queue = []
      await this.#writeTogether(batch).catch(() => this.#writeEach(batch))
    }
    this.#draining = null
  }

  #writeTogether(batch: Write[]): Promise<void> {
    return this.#storage.transaction(async (storage) => {
      for (const write of batch) await write(storage)
    })
  }

  async #writeEach(batch: Write[]): Promise<void> {
    for (const write of batch) {
      await write(this.#storage).catch((error: unknown) =>
        this.#log.error({ err: error, sessionId: this.#owner.sessionId }, 'history of a session not written'),
      )
    }
  }
}
