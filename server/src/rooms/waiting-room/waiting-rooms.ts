import { randomBytes } from 'node:crypto'
import type { Clock, Timer } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import { newPass, type PassHolder } from './waiting-pass.ts'

/** Most people who wait before one room. */
export const MOST_KNOCKS = 100
/** How long a question waits for news, in milliseconds. Proxies allow more. */
const PATIENCE_MS = 20_000
/** Somebody who has not asked for so long is gone, in milliseconds. */
const PRESENCE_MS = 15_000
/** How long the answer to somebody who knocked is kept for them, in milliseconds. */
const ANSWER_KEPT_MS = 60_000

export type KnockState = { state: 'waiting' | 'refused' } | { state: 'let-in'; pass: string }

/** Somebody who knocks, as moderators see them. */
export interface ShownKnock {
  id: string
  name: string
  /** Unix milliseconds. */
  since: number
}

interface Knock extends ShownKnock {
  holder: PassHolder
  answer: KnockState
  timer: Timer | null
}

/** One room: who waits, and who asks about it. */
interface Room {
  knocks: Map<string, Knock>
  /** Changes with every change of the list. */
  version: number
  asking: Set<() => void>
}

/**
 * Those who wait before rooms until a moderator lets them in. They are in memory alone: after a restart their pages knock
 * again.
 */
export class WaitingRooms {
  readonly #clock: Clock
  readonly #key: Uint8Array
  readonly #rooms = new Map<string, Room>()
  /** Questions that wait for news. */
  readonly #waiting = new Set<() => void>()
  #isStopped = false

  /** @param options.key signs passes */
  constructor({ clock, key }: { clock: Clock; key: Uint8Array }) {
    this.#clock = clock
    this.#key = key
  }

  /** @returns the id of the knock, a secret of whoever knocks @throws Refusal `seats_taken` */
  knock(holder: PassHolder, name: string): string {
    const room = this.#room(holder)
    if (room.knocks.size >= MOST_KNOCKS) {
      throw new Refusal('seats_taken', 'Too many people wait already. Try again in a minute.')
    }
    const id = randomBytes(16).toString('hex')
    const knock: Knock = {
      id,
      name,
      since: this.#clock.now(),
      holder,
      answer: { state: 'waiting' },
      timer: null,
    }
    room.knocks.set(id, knock)
    this.#goneAfter(room, knock, PRESENCE_MS)
    changed(room)
    return id
  }

  /** Waits for an answer. @returns undefined if there is no such knock any more */
  async answerTo(holder: PassHolder, id: string): Promise<KnockState | undefined> {
    const room = this.#room(holder)
    const knock = room.knocks.get(id)
    if (!knock) return undefined
    knock.timer?.cancel()
    await this.#news(room, () => knock.answer.state !== 'waiting' || room.knocks.get(id) !== knock)
    if (room.knocks.get(id) !== knock) return undefined
    this.#goneAfter(room, knock, knock.answer.state === 'waiting' ? PRESENCE_MS : ANSWER_KEPT_MS)
    return knock.answer
  }

  leave(holder: PassHolder, id: string): void {
    const room = this.#room(holder)
    const knock = room.knocks.get(id)
    if (knock) this.#forget(room, knock)
  }

  /** Those who wait, oldest first. @param known version that the asker has; it waits for another one */
  async list(holder: PassHolder, known: number): Promise<{ version: number; knocks: ShownKnock[] }> {
    const room = this.#room(holder)
    await this.#news(room, () => room.version !== known)
    const knocks = [...room.knocks.values()]
      .filter(({ answer }) => answer.state === 'waiting')
      .map(({ id, name, since }) => ({ id, name, since }))
    this.#dropUnused()
    return { version: room.version, knocks }
  }

  /** @throws Refusal `provided_id_is_unrecognized` if somebody else answered, or they went away */
  decide(holder: PassHolder, id: string, isLetIn: boolean): void {
    const room = this.#room(holder)
    const knock = room.knocks.get(id)
    if (knock?.answer.state !== 'waiting')
      throw new Refusal('provided_id_is_unrecognized', 'They do not wait any more.')
    knock.answer = isLetIn
      ? { state: 'let-in', pass: newPass(knock.holder, this.#key, this.#clock.now()) }
      : { state: 'refused' }
    this.#goneAfter(room, knock, ANSWER_KEPT_MS)
    changed(room)
  }

  /** Answers all questions at once, and every later one: a server that stops lets nobody wait. */
  stop(): void {
    this.#isStopped = true
    for (const settle of [...this.#waiting]) settle()
  }

  #room({ project_id, room_name }: PassHolder): Room {
    const key = `${project_id}/${room_name}`
    const room = this.#rooms.get(key) ?? { knocks: new Map(), version: newVersion(), asking: new Set() }
    this.#rooms.set(key, room)
    return room
  }

  #goneAfter(room: Room, knock: Knock, afterMs: number): void {
    knock.timer?.cancel()
    knock.timer = this.#clock.after(afterMs, () => this.#forget(room, knock))
  }

  #forget(room: Room, knock: Knock): void {
    knock.timer?.cancel()
    room.knocks.delete(knock.id)
    changed(room)
    this.#dropUnused()
  }

  /** A room that nobody waits before, nor asks about, is not kept. */
  #dropUnused(): void {
    for (const [key, { knocks, asking }] of this.#rooms) {
      if (knocks.size === 0 && asking.size === 0) this.#rooms.delete(key)
    }
  }

  /** Waits until it is so, or the patience is over. */
  #news(room: Room, isSo: () => boolean): Promise<void> {
    if (this.#isStopped || isSo()) return Promise.resolve()
    return new Promise((resolve) => {
      const settle = () => {
        timer.cancel()
        room.asking.delete(ask)
        this.#waiting.delete(settle)
        resolve()
      }
      const ask = () => {
        if (isSo()) settle()
      }
      const timer = this.#clock.after(PATIENCE_MS, settle)
      room.asking.add(ask)
      this.#waiting.add(settle)
    })
  }
}

/** Random, so that it differs from all that anybody knows. Never 0, which nobody has. */
const newVersion = (): number => randomBytes(4).readUInt32BE() + 1

function changed(room: Room): void {
  room.version = newVersion()
  for (const ask of [...room.asking]) ask()
}
