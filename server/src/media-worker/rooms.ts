import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { PacketFigures, PictureFigures } from '../media/channel.ts'
import {
  type FeedKey,
  type Handlers,
  type OfferedFeed,
  type RecordingResult,
  type RepairedRecording,
  ROOM_METHODS,
  type RoomMediaOptions,
  type SendRoomEvent,
  type ServedRoomOptions,
  WORKER_METHODS,
  type WorkerMethods,
} from '../media/channel.ts'
import type { RoomNotice, WorkerRequest } from '../media/messages.ts'
import type { OverloadStep } from '../resources/overload-steps.ts'
import { ComposingThreads } from './composing/composing-threads.ts'
import { FeedPort } from './feed/feed-port.ts'
import { repairRecording } from './outputs/repair.ts'
import { PacketTotals } from './packet-totals.ts'
import { makePoster } from './posters/make-poster.ts'
import { Room } from './room.ts'
import { ServedRoom } from './served-room.ts'
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
  readonly #rooms = new Map<string, Room | ServedRoom>()
  readonly #feedPort = new FeedPort()
  readonly #threads: ComposingThreads
  readonly #packets = new PacketTotals()
  #step: OverloadStep = 'none'

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

  /** All that a room needs has been loaded with this class. */
  prepare(): void {}

  createRoom(options: RoomMediaOptions): void {
    const { sessionId } = options
    this.#checkNew(sessionId)
    const room = new Room({
      ...this.#roomOptions(sessionId),
      media: options,
      threads: this.#threads,
      onTooManyFaults: (reason) => void this.#giveUp(sessionId, reason),
    })
    room.giveUp(this.#step)
    this.#rooms.set(sessionId, room)
  }

  async serveRoom({ sessionId, feed }: ServedRoomOptions): Promise<void> {
    this.#checkNew(sessionId)
    const room = new ServedRoom({
      ...this.#roomOptions(sessionId),
      feed,
      onLost: (reason) => {
        if (this.#rooms.get(sessionId) === room) void this.#giveUp(sessionId, reason)
      },
    })
    this.#rooms.set(sessionId, room)
    try {
      await room.connected
    } catch (error) {
      if (this.#rooms.get(sessionId) === room) await this.closeRoom(sessionId)
      throw error
    }
  }

  async openFeed(sessionId: string, feed: FeedKey): Promise<OfferedFeed> {
    const { feeds, fullBitrateBps } = this.#roomOf(sessionId)
    return { ...(await feeds.open(feed)), fullBitrateBps }
  }

  closeFeed(sessionId: string, feedId: string): void {
    this.#roomOf(sessionId).feeds.close(feedId)
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

  /** From now on all rooms spend no more than this step lets them. */
  giveUp(step: OverloadStep): void {
    this.#step = step
    for (const room of this.#rooms.values()) if (room instanceof Room) room.giveUp(step)
  }

  /** Packets of all rooms since the start. */
  get packets(): PacketFigures {
    return this.#packets.total
  }

  /** Pictures of all rooms since the last call: those that were made, or left out because there was no time. */
  takePictures(): PictureFigures {
    return this.#threads.takePictures()
  }

  /** How many rooms this process mixes, and how many legs it serves. */
  get size(): { rooms: number; legs: number } {
    let rooms = 0
    let legs = 0
    for (const room of this.#rooms.values()) {
      legs += room.legCount
      if (room instanceof Room) rooms++
    }
    return { rooms, legs }
  }

  /** Ends every room, recordings first. */
  async close(): Promise<void> {
    this.#feedPort.close()
    await Promise.allSettled([...this.#rooms.values()].map((room) => room.close()))
    this.#rooms.clear()
    await this.#threads.close()
  }

  #checkNew(sessionId: string): void {
    if (this.#rooms.has(sessionId)) throw new Error(`media room ${sessionId} exists already`)
  }

  #roomOptions(sessionId: string) {
    const { rtc, log, onNotice } = this.#options
    const onEvent: SendRoomEvent = (event, params) => onNotice({ sessionId, event, params } as RoomNotice)
    const shared = { rtc, packets: this.#packets, feedPort: this.#feedPort }
    return { ...shared, log: log.child({ sessionId }), onEvent }
  }

  #roomOf(sessionId: string): Room | ServedRoom {
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
