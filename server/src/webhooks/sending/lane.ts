import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { Targets } from '../../outgoing/targets.ts'
import { webhookSignature } from '../../secrets/webhook-secret.ts'
import type { DeliveryOutcome, Progress, WaitingDelivery } from '../../storage/interfaces/webhooks.ts'
import { isPassingFailure } from '../../storage/passing-failure.ts'
import type { WebhookRecord, WebhookStreamRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { logEntry } from '../attempt-log.ts'
import { messageBody } from '../message.ts'
import { nextAttempt, readRetryAfter } from '../retry-schedule.ts'
import { SigningKeys } from '../signing-keys.ts'
import { Gate } from './gate.ts'
import { Health } from './health.ts'
import { type Answer, Receiver } from './receiver.ts'
import type { Slots } from './slots.ts'

/** Requests to one webhook at once. */
const PARALLEL = 16
/**
 * Sessions that a webhook has in hand: some are read or stored while others are sent. One that is slow has only as many
 * as it has requests.
 */
const IN_HAND = 3 * PARALLEL
/** Deliveries of a session that are sent at a stretch, and may come twice after a kill. */
const BATCH = 20
/** For how long a session is sent at a stretch. With the longest attempt it ends before its lease does. */
const STRETCH_MS = 5000
/** How long others wait for a server that does not give a session back, because it was killed. */
const LEASE_MS = 30_000
/** Between two attempts to store what was done. */
const STORE_AGAIN_MS = 1000
/** A webhook whose last attempt failed, or took so long, counts as slow. */
const SLOW_MS = 1000
/** A receiver that asks all senders to wait is left alone at most this long before it is tried again. */
const LONGEST_PAUSE_MS = 3_600_000
/** A lane that had nothing to send for so long closes its connections. */
const IDLE_MS = 60_000

/** What all lanes share. */
export interface LaneParts {
  storage: Storage
  clock: Clock
  log: Logger
  targets: Targets
  protocols: readonly string[]
  sealingKey: Uint8Array
  /** Name of this process in leases. */
  holder: string
  userAgent: string
  /** A webhook that has failed for so long is disabled. */
  disableAfterMs: number
  slots: Slots
  /** Aborted when the server stops: nothing more is begun. */
  stopped: AbortSignal
  /** From 0 to 1. */
  random: () => number
}

/** Sends what waits for one webhook: some sessions beside each other, the deliveries of each in order. */
export class Lane {
  readonly #parts: LaneParts
  readonly #health: Health
  readonly #keys: SigningKeys
  readonly #requests = new Gate(PARALLEL)
  #webhook: WebhookRecord
  #receiver: Receiver | null = null
  /** Sessions that are being sent. */
  #running = new Set<Promise<void>>()
  #filling: Promise<void> | null = null
  #hasMore = false
  #isSlow = false
  /** Monotonic milliseconds. */
  #pausedUntil = 0
  #usedAt: number

  constructor(webhook: WebhookRecord, parts: LaneParts) {
    this.#webhook = webhook
    this.#parts = parts
    this.#health = new Health(parts)
    this.#keys = new SigningKeys(parts.sealingKey)
    this.#usedAt = parts.clock.monotonicMs()
  }

  /** Whether it has had nothing to do for a while. */
  get isIdle(): boolean {
    const isBusy = this.#running.size > 0 || this.#filling !== null
    return !isBusy && this.#parts.clock.monotonicMs() - this.#usedAt > IDLE_MS
  }

  /** Sends what is due, as far as there is room. @param webhook as it is now */
  wake(webhook: WebhookRecord): void {
    this.#webhook = webhook
    this.#fill()
  }

  /** Resolves when nothing is under way. */
  async close(): Promise<void> {
    await this.#filling
    await Promise.all(this.#running)
    this.#receiver?.close()
    this.#receiver = null
  }

  /** Ends what is under way. */
  abort(): void {
    this.#receiver?.abort()
  }

  #fill(): void {
    this.#hasMore = true
    this.#filling ??= this.#claimAll().finally(() => {
      this.#filling = null
    })
  }

  get #mayGoOn(): boolean {
    const { clock, stopped } = this.#parts
    return !stopped.aborted && this.#webhook.enabled && clock.monotonicMs() >= this.#pausedUntil
  }

  async #claimAll(): Promise<void> {
    const { storage, slots, clock, holder, log } = this.#parts
    while (this.#hasMore && this.#mayGoOn) {
      const isSlow = this.#isSlow
      const wanted = slots.take((isSlow ? PARALLEL : IN_HAND) - this.#running.size, isSlow)
      if (wanted === 0) return
      this.#hasMore = false
      const now = clock.now()
      let streams: WebhookStreamRecord[] = []
      try {
        const lease = { holder, now, until: now + LEASE_MS }
        streams = await storage.webhookOutbox.claim(this.#webhook.id, lease, wanted)
      } catch (error) {
        log.warn({ err: error, webhookId: this.#webhook.id }, 'what waits for a webhook could not be read')
      }
      slots.giveBack(wanted - streams.length, isSlow)
      if (streams.length === wanted) this.#hasMore = true
      for (const stream of streams) this.#start(stream, isSlow)
    }
  }

  #start(stream: WebhookStreamRecord, isSlow: boolean): void {
    const { slots, clock } = this.#parts
    this.#usedAt = clock.monotonicMs()
    const run = this.#send(stream).then((hasMore) => {
      this.#running.delete(run)
      slots.giveBack(1, isSlow)
      this.#usedAt = clock.monotonicMs()
      // A session that was left may be due again, and others may have waited for room.
      if (hasMore || this.#hasMore) this.#fill()
    })
    this.#running.add(run)
  }

  /** Sends the deliveries of a session that wait. @returns whether more is due at once */
  async #send(stream: WebhookStreamRecord): Promise<boolean> {
    const { storage, clock, log } = this.#parts
    const until = clock.monotonicMs() + STRETCH_MS
    try {
      const waiting = await storage.webhookOutbox.waiting(stream, BATCH)
      // Retention may have deleted what waited.
      const done = waiting.length === 0 ? stream.last_sequence : stream.done_sequence
      const progress: Progress = { done, nextAt: null, outcomes: [] }
      await this.#sendInOrder(waiting, progress, until)
      const hasMore = await this.#giveBack(stream, progress)
      return hasMore && this.#mayGoOn
    } catch (error) {
      log.warn({ err: error, webhookId: stream.webhook_id }, 'a session could not be sent to a webhook now')
      return false
    }
  }

  /** Stores what was done. While the database is away it is tried again, for as long as the lease lasts. */
  async #giveBack(stream: WebhookStreamRecord, progress: Progress): Promise<boolean> {
    const { storage, clock, stopped } = this.#parts
    for (;;) {
      try {
        return await storage.webhookOutbox.release(stream, progress, clock.now())
      } catch (error) {
        const isOver = stopped.aborted || clock.now() > (stream.next_at ?? 0)
        if (isOver || !isPassingFailure(error)) throw error
        await new Promise<void>((resolve) => void clock.after(STORE_AGAIN_MS, resolve))
      }
    }
  }

  /** Sends until one has to be tried again later. @param progress is filled in */
  async #sendInOrder(waiting: readonly WaitingDelivery[], progress: Progress, until: number): Promise<void> {
    const { clock } = this.#parts
    for (const one of waiting) {
      await this.#requests.enter()
      try {
        if (!this.#mayGoOn || clock.monotonicMs() > until) return
        const outcome = await this.#attempt(one)
        if (outcome === null) return
        progress.outcomes.push(outcome.stored)
        progress.nextAt = outcome.nextAt
        if (outcome.nextAt !== null) return
        progress.done = one.delivery.sequence
      } finally {
        this.#requests.leave()
      }
    }
  }

  /** @returns null when it was aborted, because the server stops */
  async #attempt({
    delivery,
    event,
  }: WaitingDelivery): Promise<{ stored: DeliveryOutcome; nextAt: number | null } | null> {
    const { clock, stopped, random } = this.#parts
    const attemptedAt = clock.now()
    const began = clock.monotonicMs()
    const answer: Answer = event
      ? await this.#post(event.id, messageBody(event, delivery.sequence))
      : { status: null, body: '', retryAfter: undefined, error: 'The event is no longer stored.' }
    if (stopped.aborted && answer.status === null) return null
    const durationMs = Math.round(clock.monotonicMs() - began)
    const now = clock.now()
    const isTaken = answer.status !== null && answer.status >= 200 && answer.status < 300
    const attempts = delivery.attempts + 1
    const firstAt = delivery.first_attempt_at ?? attemptedAt
    const isFinal = isTaken || event === null || answer.status === 410
    const retryAfterMs = readRetryAfter(answer.retryAfter, now)
    const nextAt = isFinal ? null : nextAttempt({ attempts, firstAt, now, retryAfterMs }, random())
    this.#isSlow = !isTaken || durationMs > SLOW_MS
    if (event) await this.#learn(answer, isTaken, retryAfterMs)
    const { status: responseStatus, error } = answer
    const responseBody = isTaken ? null : answer.body
    const stored: DeliveryOutcome = {
      webhook_id: this.#webhook.id,
      id: delivery.id,
      status: isTaken ? 'delivered' : nextAt === null ? 'failed' : 'pending',
      attempts,
      logEntry: logEntry({ attemptedAt, durationMs, responseStatus, responseBody, error, nextAt }),
      first_attempt_at: firstAt,
      finished_at: nextAt === null ? now : null,
    }
    return { stored, nextAt }
  }

  /** Draws conclusions for the webhook as a whole. */
  async #learn({ status }: Answer, isTaken: boolean, retryAfterMs: number): Promise<void> {
    const { clock } = this.#parts
    // These mean the receiver as a whole, not this message.
    if ((status === 429 || status === 503) && retryAfterMs > 0) {
      this.#pausedUntil = clock.monotonicMs() + Math.min(LONGEST_PAUSE_MS, retryAfterMs)
    }
    this.#webhook = await this.#health.after(
      this.#webhook,
      isTaken ? 'taken' : status === 410 ? 'gone' : 'failed',
    )
  }

  #post(id: string, body: string): Promise<Answer> {
    const { targets, protocols, clock, userAgent } = this.#parts
    const { url } = this.#webhook
    if (this.#receiver?.url !== url) {
      this.#receiver?.close()
      this.#receiver = new Receiver({ url, targets, protocols, connections: PARALLEL })
    }
    const now = clock.now()
    const timestamp = Math.floor(now / 1000)
    const keys = this.#keys.of(this.#webhook, now)
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': webhookSignature(keys, { id, timestamp, body }),
    }
    return this.#receiver.post(body, headers)
  }
}
