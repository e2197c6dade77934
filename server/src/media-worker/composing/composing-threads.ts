import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import type { PictureFigures } from '../../media/channel.ts'
import { ComposingThread } from './composing-thread.ts'
import type { FromThread } from './messages.ts'

const CHECK_INTERVAL_MS = 1000
/** Checks without a sign of life. What FFmpeg does at once takes tens of milliseconds, on a busy machine a second. */
const SILENT_CHECKS = 10
/** A thread that has not begun yet loads FFmpeg's bindings and the fonts. */
const SILENT_CHECKS_AT_START = 40
/** Checks for which a thread without rooms is kept for the next one. */
const IDLE_CHECKS = 30
/** A thread that ends this soon after its start would end at once again. */
const SOON_MS = 5000
/** Such a thread is replaced after this. */
const RESTART_PAUSE_MS = 1000
/** A thread that is asked to end and does not hangs in native code. */
const END_TIMEOUT_MS = 3000
/** What a room counts for until its load shows. */
const EXPECTED_ROOM_LOAD = 0.1
const MOST_THREADS = 4

/** A room whose picture is composed in a thread. */
export interface ThreadedRoom {
  /**
   * From now on this thread makes its picture, and knows nothing about it yet.
   * @param thread null while there is none
   * @param room its number
   */
  onThread(thread: ComposingThread | null, room: number): void
  onMessage(message: FromThread): void
}

export interface ComposingThreadsOptions {
  log: Logger
  /** One hangs where nothing can end it but the end of this process. Its rooms go on in another one. */
  onStuck: () => void
  /** Threads at most. By default one for each two cores, and four at most: each core has a media worker. */
  most?: number
}

interface Slot {
  thread: ComposingThread
  startedMs: number
  hasBegun: boolean
  silentChecks: number
  idleChecks: number
  load: number
  /** Rooms that came after the last check. */
  newRooms: number
}

/**
 * Owns the threads that decode, compose and encode the pictures of a media worker's rooms. Starts them as rooms come,
 * spreads the rooms over them, replaces those that end or hang, and ends those that are idle.
 */
export class ComposingThreads {
  readonly #options: ComposingThreadsOptions
  readonly #most: number
  readonly #rooms = new Map<number, ThreadedRoom>()
  readonly #slots = new Set<Slot>()
  readonly #restarts = new Set<NodeJS.Timeout>()
  #check: NodeJS.Timeout | null = null
  #lastRoom = 0
  #isClosed = false

  constructor(options: ComposingThreadsOptions) {
    this.#options = options
    this.#most = options.most ?? Math.max(1, Math.min(MOST_THREADS, Math.floor(availableParallelism() / 2)))
  }

  /** How many threads there are. */
  get size(): number {
    return this.#slots.size
  }

  /** Pictures since the last call: those that were made, or left out because there was no time. */
  takePictures(): PictureFigures {
    const total = { made: 0, leftOut: 0, encodes: 0, encodeSeconds: 0 }
    for (const { thread } of this.#slots) {
      const { made, leftOut, encodes, encodeSeconds } = thread.takePictures()
      total.made += made
      total.leftOut += leftOut
      total.encodes += encodes
      total.encodeSeconds += encodeSeconds
    }
    return total
  }

  /** Gives a room a number, and a thread at once. */
  add(room: ThreadedRoom): void {
    const number = ++this.#lastRoom
    this.#rooms.set(number, room)
    this.#place(number, room)
  }

  /** The room is closed. */
  remove(number: number): void {
    this.#rooms.delete(number)
    for (const { thread } of this.#slots) thread.rooms.delete(number)
  }

  /** Ends all threads. Rooms are to be closed before. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#check) clearInterval(this.#check)
    for (const restart of this.#restarts) clearTimeout(restart)
    const ends = [...this.#slots].map(({ thread }) => thread.end())
    await Promise.race([Promise.all(ends), timeout(END_TIMEOUT_MS)])
  }

  #place(number: number, room: ThreadedRoom): void {
    const slot = this.#slotForOneMore()
    slot?.thread.rooms.add(number)
    if (slot) slot.newRooms++
    room.onThread(slot?.thread ?? null, number)
  }

  #slotForOneMore(): Slot | null {
    if (this.#isClosed) return null
    const weight = ({ load, newRooms }: Slot) => load + newRooms * EXPECTED_ROOM_LOAD
    const [best] = [...this.#slots].sort((a, b) => weight(a) - weight(b))
    const isWanted = !best || (best.thread.rooms.size > 0 && this.#slots.size < this.#most)
    return isWanted && this.#restarts.size === 0 ? this.#start() : (best ?? null)
  }

  #start(): Slot {
    const thread: ComposingThread = new ComposingThread({
      onMessage: (message) => {
        slot.hasBegun = true
        this.#rooms.get(message.room)?.onMessage(message)
      },
      onGone: (error) => this.#onGone(slot, error),
    })
    const slot: Slot = {
      thread,
      startedMs: performance.now(),
      hasBegun: false,
      silentChecks: 0,
      idleChecks: 0,
      load: 0,
      newRooms: 0,
    }
    this.#slots.add(slot)
    this.#check ??= setInterval(() => this.#checkAll(), CHECK_INTERVAL_MS)
    return slot
  }

  #onGone(slot: Slot, error: Error | null): void {
    this.#slots.delete(slot)
    const rooms = [...slot.thread.rooms]
    for (const number of rooms) this.#rooms.get(number)?.onThread(null, number)
    if (this.#isClosed) return
    if (error) this.#options.log.error({ err: error, rooms: rooms.length }, 'a composing thread ended')
    if (performance.now() - slot.startedMs < SOON_MS) this.#placeLater(rooms)
    else this.#placeAgain(rooms)
  }

  #placeLater(rooms: number[]): void {
    const restart = setTimeout(() => {
      this.#restarts.delete(restart)
      this.#placeAgain(rooms)
      // Those that came meanwhile.
      const placed = new Set([...this.#slots].flatMap(({ thread }) => [...thread.rooms]))
      this.#placeAgain([...this.#rooms.keys()].filter((number) => !placed.has(number)))
    }, RESTART_PAUSE_MS)
    this.#restarts.add(restart)
  }

  #placeAgain(rooms: readonly number[]): void {
    for (const number of rooms) {
      const room = this.#rooms.get(number)
      if (room) this.#place(number, room)
    }
  }

  /** Counts in turns of this process's own event loop: a machine that stood still proves nothing. */
  #checkAll(): void {
    for (const slot of this.#slots) {
      slot.load = slot.thread.takeLoad()
      slot.newRooms = 0
      if (slot.thread.takeBeat()) {
        slot.hasBegun = true
        slot.silentChecks = 0
      } else if (++slot.silentChecks > (slot.hasBegun ? SILENT_CHECKS : SILENT_CHECKS_AT_START)) {
        void this.#giveUp(slot)
        continue
      }
      slot.idleChecks = slot.thread.rooms.size > 0 ? 0 : slot.idleChecks + 1
      if (slot.idleChecks > IDLE_CHECKS) void slot.thread.end()
    }
    if (this.#slots.size > 0 || !this.#check) return
    clearInterval(this.#check)
    this.#check = null
  }

  async #giveUp(slot: Slot): Promise<void> {
    slot.thread.abandon()
    this.#onGone(slot, new Error('it hangs'))
    let hasEnded = false
    const end = slot.thread.terminate().then(() => {
      hasEnded = true
    })
    await Promise.race([end, timeout(END_TIMEOUT_MS)])
    if (!hasEnded) this.#options.onStuck()
  }
}

function timeout(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
