import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import {
  type Handlers,
  type RecordingResult,
  type RepairedRecording,
  ROOM_METHODS,
  type RoomMediaOptions,
  WORKER_METHODS,
  type WorkerMethods,
} from '../media/channel.ts'
import type { RoomNotice, WorkerRequest } from '../media/messages.ts'
import { ComposingThreads } from './composing/composing-threads.ts'
import { repairRecording } from './outputs/repair.ts'
import { makePoster } from './posters/make-poster.ts'
import { Room } from './room.ts'
import type { RtcSettings } from './transport/rtc-settings.ts'

/** How long a room that must be closed may take to finish its recordings, in milliseconds. */
const LOST_ROOM_TIMEOUT_MS = 5000

export interface RoomsOptions {
  rtc: RtcSettings
  log: Logger
  /** Something happened in a room. */
  onNotice: (notice: RoomNotice) => void
  /** A thread hangs, and only the end of this process ends it. */
  onStuck: () => void
}

/** The rooms of this process, and what else the process can be asked. */
export class Rooms implements Handlers<WorkerMethods> {
  readonly #options: RoomsOptions
  readonly #threads: ComposingThreads
  readonly #rooms = new Map<string, Room>()

  constructor(options: RoomsOptions) {
    this.#options = options
    this.#threads = new ComposingThreads(options)
  }

  /**
   * Does what a request asks.
   * @returns what the method returns
   * @throws Error whose message is fit for the server's log, when the request cannot be met
   */
  async answer(request: WorkerRequest): Promise<unknown> {
    if ('sessionId' in request) {
      checkDeclared(ROOM_METHODS, request.method)
      return this.#roomOf(request.sessionId).answer(request.method, request.args)
    }
    checkDeclared(WORKER_METHODS, request.method)
    return Reflect.apply(this[request.method], this, request.args)
  }

  createRoom(options: RoomMediaOptions): void {
    const { sessionId } = options
    if (this.#rooms.has(sessionId)) throw new Error(`media room ${sessionId} exists already`)
    const { rtc, log, onNotice } = this.#options
    const room = new Room({
      media: options,
      rtc,
      threads: this.#threads,
      log: log.child({ sessionId }),
      onEvent: (event, params) => onNotice({ sessionId, event, params } as RoomNotice),
      onTooManyFaults: (reason) => void this.#giveUp(sessionId, reason),
    })
    this.#rooms.set(sessionId, room)
  }

  async closeRoom(sessionId: string): Promise<RecordingResult[]> {
    const room = this.#rooms.get(sessionId)
    this.#rooms.delete(sessionId)
    return room ? room.close() : []
  }

  repairRecording(file: string): Promise<RepairedRecording | null> {
    return repairRecording(file)
  }

  makePoster(source: string, target: string): Promise<void> {
    return makePoster(source, target)
  }

  /** How many rooms and legs this process carries. */
  get size(): { rooms: number; legs: number } {
    let legs = 0
    for (const room of this.#rooms.values()) legs += room.legCount
    return { rooms: this.#rooms.size, legs }
  }

  /** Ends every room, recordings first. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#rooms.values()].map((room) => room.close()))
    this.#rooms.clear()
    await this.#threads.close()
  }

  #roomOf(sessionId: string): Room {
    const room = this.#rooms.get(sessionId)
    if (!room) throw new Error(`no media room ${sessionId}`)
    return room
  }

  /** Closes a room that throws again and again; the others go on. */
  async #giveUp(sessionId: string, reason: string): Promise<void> {
    const room = this.#rooms.get(sessionId)
    if (!room) return
    this.#rooms.delete(sessionId)
    const { log, onNotice } = this.#options
    log.error({ sessionId, reason }, 'a room is given up')
    const closed = room.close().catch((err: unknown) => log.error({ err, sessionId }, 'room not closed'))
    await Promise.race([closed, sleep(LOST_ROOM_TIMEOUT_MS, undefined, { ref: false })])
    onNotice({ sessionId, event: 'died', params: { reason } })
  }
}

/** @throws Error for a name that the channel does not declare, such as one that every object has */
function checkDeclared(methods: object, method: string): void {
  if (!Object.hasOwn(methods, method)) throw new Error(`no method ${method}`)
}
