import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream'
import type { KV, KvEntry } from '@nats-io/kv'
import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import { type Claim, type Claims, ClusterAway } from '../cluster.ts'

/** Entries that nobody renews are gone after this. It bounds how long a room of a dead node cannot begin again. */
export const ENTRY_TTL_MS = 5000
/** How often a holder looks for claims that it could not renew in time. */
const LOOK_MS = 250
/** A holder renews its entries each time after so many looks: every 1.25 s. */
const LOOKS_PER_RENEWAL = 5
const RENEWAL_MS = LOOKS_PER_RENEWAL * LOOK_MS
/**
 * A holder that could not renew for this long counts its claim as lost, at its next look. NATS keeps the entry longer, so
 * nobody else has it yet.
 */
const LEASE_MS = 4000
/** Entries that are renewed at the same time. */
const RENEWED_AT_ONCE = 200
/** The entry may expire between the attempt to make it and the look at who has it. */
const ATTEMPTS = 5

/** What an entry says. */
interface Holder {
  node: string
  run: string
}

interface Held {
  readonly claim: Claim
  /** Revision of the entry: a renewal has to name it. */
  revision: number
  /** When the last renewal that NATS took was sent, on the monotonic clock. */
  renewedAtMs: number
}

export interface NatsClaimsOptions {
  entries: KV
  holder: Holder
  clock: Clock
  log: Logger
}

/** {@link Claims} as entries of a key-value bucket of JetStream. */
export class NatsClaims implements Claims {
  readonly #options: NatsClaimsOptions
  readonly #value: string
  readonly #held = new Map<string, Held>()
  readonly #claiming = new Map<string, Promise<Claim>>()
  readonly #releasing = new Map<string, Promise<void>>()
  readonly #onLost = new Set<(key: string) => void>()
  #timer: Timer | null = null
  #isStopped = false

  constructor(options: NatsClaimsOptions) {
    this.#options = options
    this.#value = JSON.stringify(options.holder)
    this.#lookLater(LOOKS_PER_RENEWAL)
  }

  async find(key: string): Promise<Claim | null> {
    const entry = await this.#read(key)
    return entry && { key, node: holderOf(entry).node, revision: entry.revision }
  }

  claim(key: string): Promise<Claim> {
    const held = this.held(key)
    if (held) return Promise.resolve(held)
    const claiming = this.#claiming.get(key) ?? this.#claim(key).finally(() => this.#claiming.delete(key))
    this.#claiming.set(key, claiming)
    return claiming
  }

  /** Takes the key only if nobody holds it, not even an earlier run of this node. @returns whether it did */
  async take(key: string): Promise<boolean> {
    const sentAtMs = this.#options.clock.monotonicMs()
    const revision = await this.#tryCreate(key)
    if (revision === null) return false
    this.#hold(key, revision, sentAtMs)
    return true
  }

  held(key: string): Claim | undefined {
    return this.#held.get(key)?.claim
  }

  async release(key: string): Promise<void> {
    await this.#claiming.get(key)?.catch(() => {})
    const held = this.#held.get(key)
    if (!held) return this.#releasing.get(key)
    this.#held.delete(key)
    const releasing = this.#delete(key, held.revision)
      .catch((error: unknown) =>
        this.#options.log.debug({ err: error, key }, 'claim not released; it expires'),
      )
      .finally(() => this.#releasing.delete(key))
    this.#releasing.set(key, releasing)
    return releasing
  }

  onLost(callback: (key: string) => void): () => void {
    this.#onLost.add(callback)
    return () => {
      this.#onLost.delete(callback)
    }
  }

  /** Releases everything and ends the renewals. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await Promise.all([...this.#held.keys()].map((key) => this.release(key)))
  }

  async #delete(key: string, revision: number): Promise<void> {
    const { entries, holder } = this.#options
    try {
      await entries.delete(key, { previousSeq: revision })
    } catch (error) {
      if (!isWrongRevision(error)) throw error
      // A renewal that was under way has made a revision that this node did not know yet.
      const entry = await this.#read(key)
      if (entry && holderOf(entry).run === holder.run)
        await entries.delete(key, { previousSeq: entry.revision })
    }
  }

  async #claim(key: string): Promise<Claim> {
    await this.#releasing.get(key)
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const sentAtMs = this.#options.clock.monotonicMs()
      const revision = await this.#tryCreate(key)
      if (revision !== null) return this.#hold(key, revision, sentAtMs)
      const entry = await this.#read(key)
      if (!entry) continue
      const { node, run } = holderOf(entry)
      const { holder } = this.#options
      if (node !== holder.node) return { key, node, revision: entry.revision }
      // This run made it, and the answer was lost; or an earlier run did, which cannot be alive beside this one.
      if (run === holder.run) return this.#hold(key, entry.revision, sentAtMs - RENEWAL_MS)
      const taken = await this.#tryUpdate(key, entry.revision)
      if (taken !== null) return this.#hold(key, taken, sentAtMs)
    }
    throw new ClusterAway(`the entry ${key} changes too fast`)
  }

  #hold(key: string, revision: number, renewedAtMs: number): Claim {
    const claim: Claim = { key, node: this.#options.holder.node, revision }
    this.#held.set(key, { claim, revision, renewedAtMs })
    return claim
  }

  async #read(key: string): Promise<KvEntry | null> {
    try {
      const entry = await this.#options.entries.get(key)
      return entry?.operation === 'PUT' ? entry : null
    } catch (error) {
      throw new ClusterAway('NATS does not answer', { cause: error })
    }
  }

  /** @returns null when there is an entry already */
  async #tryCreate(key: string): Promise<number | null> {
    try {
      return await this.#options.entries.create(key, this.#value)
    } catch (error) {
      if (isWrongRevision(error)) return null
      throw new ClusterAway('NATS does not answer', { cause: error })
    }
  }

  /** @returns null when the entry has another revision */
  async #tryUpdate(key: string, revision: number): Promise<number | null> {
    try {
      return await this.#options.entries.update(key, this.#value, revision)
    } catch (error) {
      if (isWrongRevision(error)) return null
      throw new ClusterAway('NATS does not answer', { cause: error })
    }
  }

  #lookLater(looksToRenewal: number): void {
    if (this.#isStopped) return
    this.#timer = this.#options.clock.after(LOOK_MS, () => {
      this.#dropExpired()
      const isDue = looksToRenewal === 1
      // A renewal that hangs must not keep the clock of the next one from ticking.
      if (isDue) void this.#renewAll()
      this.#lookLater(isDue ? LOOKS_PER_RENEWAL : looksToRenewal - 1)
    })
  }

  async #renewAll(): Promise<void> {
    const all = [...this.#held]
    for (let at = 0; at < all.length && !this.#isStopped; at += RENEWED_AT_ONCE) {
      await Promise.all(all.slice(at, at + RENEWED_AT_ONCE).map(([key, held]) => this.#renew(key, held)))
    }
  }

  #dropExpired(): void {
    const now = this.#options.clock.monotonicMs()
    for (const [key, held] of this.#held) {
      if (now - held.renewedAtMs > LEASE_MS) this.#lose(key, held, 'not renewed in time')
    }
  }

  async #renew(key: string, held: Held): Promise<void> {
    if (this.#held.get(key) !== held) return
    const sentAtMs = this.#options.clock.monotonicMs()
    try {
      const revision = await this.#tryUpdate(key, held.revision)
      if (revision !== null) {
        held.revision = Math.max(held.revision, revision)
        held.renewedAtMs = Math.max(held.renewedAtMs, sentAtMs)
        return
      }
      await this.#lookAfterRefusal(key, held)
    } catch (error) {
      this.#options.log.debug({ err: error, key }, 'claim not renewed yet')
    }
  }

  /** A renewal whose answer was lost made a revision that this node does not know. */
  async #lookAfterRefusal(key: string, held: Held): Promise<void> {
    const entry = await this.#read(key)
    if (this.#held.get(key) !== held) return
    const isOurs = entry !== null && holderOf(entry).run === this.#options.holder.run
    if (isOurs) held.revision = Math.max(held.revision, entry.revision)
    else this.#lose(key, held, entry === null ? 'the entry is gone' : 'another node has it')
  }

  #lose(key: string, held: Held, reason: string): void {
    if (this.#held.get(key) !== held) return
    this.#held.delete(key)
    this.#options.log.error({ key, reason }, 'claim lost')
    for (const callback of this.#onLost) callback(key)
  }
}

const holderOf = (entry: KvEntry): Holder => entry.json<Holder>()

const isWrongRevision = (error: unknown) =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamWrongLastSequence ||
    error.code === JetStreamApiCodes.StreamWrongLastSequenceUnknown)
