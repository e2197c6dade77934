import type { Clock, Timer } from '../../clock.ts'
import { newId } from '../../ids.ts'
import type { WebhookRecord } from '../../storage/records.ts'
import type { WebhookSendingOptions } from '../sending-options.ts'
import { Lane, type LaneParts } from './lane.ts'
import { Slots } from './slots.ts'

/** Between two looks for what is due, unless an event of this process comes before. */
const LOOK_MS = 1000
/** Events within this time cause one look. */
const GATHER_MS = 5
/** How long requests under way may take when the server stops. */
const STOP_MS = 3000

/** Sends what waits for all webhooks. Each webhook has its own lane, so that one that is slow holds up no other. */
export class Sender {
  readonly #options: WebhookSendingOptions
  readonly #parts: LaneParts
  readonly #clock: Clock
  readonly #lanes = new Map<string, Lane>()
  readonly #stopping = new AbortController()
  #timer: Timer | null = null
  #looking: Promise<void> | null = null
  #isWoken = false

  constructor(options: WebhookSendingOptions) {
    this.#options = options
    this.#clock = options.clock
    this.#parts = {
      ...options,
      holder: newId(),
      slots: new Slots(),
      stopped: this.#stopping.signal,
      random: Math.random,
    }
  }

  /** Begins. */
  async start(): Promise<void> {
    await this.#options.storage.webhookOutbox.freeLeases(this.#clock.now())
    this.#look()
  }

  /** Looks soon: something may be due. */
  wake(): void {
    if (this.#isWoken) return
    this.#isWoken = true
    if (!this.#looking) this.#plan(GATHER_MS)
  }

  /** Lets requests under way end for a moment, and aborts the rest. Those are made again after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#timer?.cancel()
    await this.#looking
    const closed = Promise.all([...this.#lanes.values()].map((lane) => lane.close()))
    const limit = this.#clock.after(STOP_MS, () => {
      for (const lane of this.#lanes.values()) lane.abort()
    })
    await closed
    limit.cancel()
  }

  #plan(delayMs: number): void {
    this.#timer?.cancel()
    if (!this.#stopping.signal.aborted) this.#timer = this.#clock.after(delayMs, () => this.#look())
  }

  #look(): void {
    this.#isWoken = false
    this.#looking ??= this.#wakeLanes().finally(() => {
      this.#looking = null
      this.#plan(this.#isWoken ? GATHER_MS : LOOK_MS)
    })
  }

  async #wakeLanes(): Promise<void> {
    let due: WebhookRecord[] = []
    try {
      due = await this.#options.storage.webhookOutbox.due(this.#clock.now())
    } catch (error) {
      this.#options.log.warn({ err: error }, 'what waits for webhooks could not be read; this is tried again')
    }
    if (this.#stopping.signal.aborted) return
    for (const webhook of due) this.#laneOf(webhook).wake(webhook)
    for (const [id, lane] of this.#lanes) {
      if (!lane.isIdle) continue
      this.#lanes.delete(id)
      await lane.close()
    }
  }

  #laneOf(webhook: WebhookRecord): Lane {
    const known = this.#lanes.get(webhook.id)
    if (known) return known
    const lane = new Lane(webhook, this.#parts)
    this.#lanes.set(webhook.id, lane)
    return lane
  }
}
