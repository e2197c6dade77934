import type { Logger } from 'pino'
import type { PortRange } from '../config/media-options.ts'
import type { Config } from '../config.ts'
import { Containment } from '../containment.ts'
import { OperatorError } from '../errors/operator-error.ts'
import { udpHolders } from '../port-holders.ts'
import { givesUp, OVERLOAD_STEPS, type OverloadStep } from '../resources/overload-steps.ts'
import type { RepairedRecording, RoomMediaOptions, ServedRoomOptions } from './channel.ts'
import {
  MediaOverloaded,
  type MediaPlane,
  type MediaRoom,
  type MediaRoomEvents,
  MediaWorkerGone,
  type MediaWorkerState,
} from './media-plane.ts'
import type { RoomNotice, WorkerSettings } from './messages.ts'
import { OrphanGuard } from './orphan-guard.ts'
import { PlacedLoad } from './placed-load.ts'
import type { ViewerHost, ViewerNotice } from './viewer-host.ts'
import { carries, type Extension, type LoadedWorker, leastOf, ViewerPlacement } from './viewer-placement.ts'
import { WorkerProcess } from './worker-process.ts'
import { openServedRoom, openWorkerRoom, type WorkerRoom } from './worker-room.ts'

/**
 * Settings of the operator for media. Each worker gets a slice of the ports. There are never more workers than ports.
 */
export type MediaOptions = Pick<
  Config,
  'mediaWorkers' | 'rtcPorts' | 'announcedIp' | 'rtcTransport' | 'logLevel' | 'overloadStep'
> & {
  /** Absolute paths that workers write into: recordings and previews. They exist. */
  folders: readonly string[]
}

/** A worker that dies early is replaced after a delay that doubles each time, up to this. */
const LONGEST_RESPAWN_DELAY_MS = 5000
/** A worker that lived this long is replaced at once. */
const HEALTHY_LIFE_MS = 30_000
const READY_TIMEOUT_MS = 15_000
/** How long a start waits for a UDP port. Workers of a server that was killed may still have to end. */
const PORT_TIMEOUT_MS = 5000
/**
 * Maximum number of workers that a repair is tried with. The next one is tried when a worker dies during the repair.
 */
const REPAIR_ATTEMPTS = 3
/** Assumed load of a new room until it is measured, in CPU seconds per second, and the part of it that the event loop has. */
const EXPECTED_ROOM_CPU = 0.15
const EXPECTED_ROOM_LOOP = 0.1
/** No media worker has a UDP port, so that no room can be carried. The message names who has the ports, if known. */
export class NoMediaPort extends OperatorError {
  override readonly name = 'NoMediaPort'
}

/** One place for a worker. It outlives the processes that fill it. */
interface Slot extends LoadedWorker {
  settings: WorkerSettings
  startedAtMs: number
  /** How many times in a row a worker of this slot died early. */
  earlyDeaths: number
  /** Rooms of which it is the head, by session: it mixes them, or has their feed from another machine. */
  rooms: Map<string, WorkerRoom>
  /** Sessions whose rooms have another head, and of which it serves viewers. */
  shares: Set<string>
}

/** Runs the media workers: starts them, places rooms by measured load, and replaces dead workers. */
export class MediaWorkers implements MediaPlane {
  readonly #log: Logger
  readonly #containment: Containment
  readonly #folders: readonly string[]
  readonly #guard = new OrphanGuard()
  readonly #slots: Slot[]
  #respawns = new Set<NodeJS.Timeout>()
  #stopping = false
  /** Workers load what rooms need, those that start later too. */
  #isPrepared = false
  #waitingForWorker = new Set<() => void>()
  readonly #viewers: ViewerPlacement

  constructor(options: MediaOptions, log: Logger) {
    this.#log = log
    this.#containment = new Containment(log)
    this.#folders = options.folders
    this.#slots = slicePorts(options).map((portRange) => {
      const { announcedIp, rtcTransport: transport, logLevel, overloadStep } = options
      const settings = { portRange, announcedIp, transport, logLevel, overloadStep }
      return this.#fill({
        settings,
        rooms: new Map(),
        shares: new Set(),
        earlyDeaths: 0,
        cpu: new PlacedLoad(),
        loop: new PlacedLoad(),
      })
    })
    this.#viewers = new ViewerPlacement(this.#slots)
    if (this.#slots.length < options.mediaWorkers) {
      log.warn(
        { workers: this.#slots.length },
        'fewer media workers than asked for: each needs a UDP port of its own',
      )
    }
  }

  get ready(): boolean {
    return !this.#stopping && this.#slots.every((slot) => slot.worker.ready)
  }

  /** Number of workers that should run. Lower than configured if there are fewer ports. */
  get size(): number {
    return this.#slots.length
  }

  /** Number of workers that run but cannot carry a room, because other programs use all their UDP ports. */
  get portless(): number {
    return this.#portlessSlots().length
  }

  get workers(): readonly MediaWorkerState[] {
    return this.#slots.map(({ settings, worker }) => ({
      ports: settings.portRange,
      state: worker.ready ? (worker.hasPort ? 'ready' : 'portless') : 'starting',
      load: worker.load,
    }))
  }

  get overloadStep(): OverloadStep {
    const indexes = this.#slots.map(({ worker }) => OVERLOAD_STEPS.indexOf(worker.load.step))
    return OVERLOAD_STEPS[Math.max(0, ...indexes)]!
  }

  get admitsAudience(): boolean {
    return this.#viewers.admitsAudience
  }

  /** From now on, viewers of rooms of this machine may be served by others, too. */
  extendTo(extension: Extension): void {
    this.#viewers.extension = extension
  }

  /** Names the programs that use the ports of workers without a port. Empty if the system does not tell. */
  portHolders(): Promise<string> {
    return udpHolders(this.#portlessSlots().map(({ settings }) => settings.portRange))
  }

  /**
   * Resolves when all workers are ready, and at least one has a UDP port.
   * @throws MediaWorkerGone, NoMediaPort
   */
  async start(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => this.#untilReady(() => slot.worker.ready)))
    const hasPort = () => this.#slots.some(({ worker }) => worker.hasPort)
    await this.#untilReady(hasPort, PORT_TIMEOUT_MS).catch(async () => {
      const { first } = this.#slots[0]?.settings.portRange ?? { first: 0 }
      const { last } = this.#slots.at(-1)?.settings.portRange ?? { last: 0 }
      const holders = await this.portHolders()
      throw new NoMediaPort(
        `no UDP port of ${first}-${last} can be had for media${holders && `: ${holders} has them`}; stop what uses them, or set PARLEY_RTC_PORTS to others`,
      )
    })
  }

  #portlessSlots(): Slot[] {
    return this.#slots.filter(({ worker }) => worker.ready && !worker.hasPort)
  }

  prepare(): void {
    if (this.#isPrepared) return
    this.#isPrepared = true
    for (const { worker } of this.#slots) if (worker.ready) this.#prepare(worker)
  }

  /** Resolves once all workers have loaded what rooms need. @throws MediaWorkerGone */
  async whenPrepared(): Promise<void> {
    this.prepare()
    await Promise.all(this.#slots.map(({ worker }) => worker.call('prepare')))
  }

  #prepare(worker: WorkerProcess): void {
    worker.call('prepare').catch((err: unknown) => {
      // Its end is told where it is noticed.
      if (err instanceof MediaWorkerGone) return
      this.#log.error({ err, pid: worker.pid }, 'a media worker cannot load what rooms need')
    })
  }

  async createRoom(options: RoomMediaOptions): Promise<MediaRoom> {
    if (this.#slots.some((slot) => slot.rooms.has(options.sessionId))) {
      throw new Error(`media room ${options.sessionId} exists already`)
    }
    // Waiting does not help: an operator must free a port.
    if (this.portless === this.size) throw new MediaWorkerGone('no media worker has a UDP port')
    await this.#untilReady(() => this.#slots.some(carries))
    const takesMore = (slot: Slot) => carries(slot) && !givesUp(slot.worker.load.step, 'no-rooms')
    if (!this.#slots.some(takesMore)) throw new MediaOverloaded('all media workers have too much to do')
    const slot = this.#leastLoaded(takesMore)
    slot.cpu.place(EXPECTED_ROOM_CPU)
    slot.loop.place(EXPECTED_ROOM_LOOP)
    const { sessionId } = options
    const room = await openWorkerRoom(options, {
      ...this.#roomOptions(slot, sessionId),
      placeViewer: (head, serving) => this.#viewers.anywhere(head, serving),
    })
    slot.rooms.set(sessionId, room)
    return room
  }

  /**
   * Serves viewers of a room that another machine mixes: of the room's methods, those of `ServingRoomMethods` may be called.
   * @throws MediaWorkerGone; Error when the feed cannot be reached
   */
  async serveRoom(options: ServedRoomOptions): Promise<MediaRoom> {
    const { sessionId } = options
    const slot = leastOf(this.#slots, carries, ({ loop }) => loop.expected)
    const room = await openServedRoom(options, {
      ...this.#roomOptions(slot, sessionId),
      placeViewer: (head, serving) => this.#viewers.here(head, serving),
    })
    slot.rooms.set(sessionId, room)
    return room
  }

  #roomOptions(slot: Slot, sessionId: string) {
    return {
      worker: slot.worker,
      onShare: (host: ViewerHost, isOpen: boolean) => this.#noteShare(sessionId, host, isOpen),
      onClosed: () => void slot.rooms.delete(sessionId),
      log: this.#log,
    }
  }

  #noteShare(sessionId: string, host: ViewerHost, isOpen: boolean): void {
    const shares = this.#slots.find(({ worker }) => worker === host)?.shares
    if (isOpen) shares?.add(sessionId)
    else shares?.delete(sessionId)
    const what = shares ? 'worker' : 'node'
    const message = isOpen ? `${what} serves viewers of a room` : `${what} serves a room no more`
    this.#log.info({ sessionId, ...host.facts }, message)
  }

  async repairRecording(file: string): Promise<RepairedRecording | null> {
    for (let attempt = 1; ; attempt++) {
      const isReady = ({ worker }: Slot) => worker.ready
      await this.#untilReady(() => this.#slots.some(isReady))
      try {
        return await this.#leastLoaded(isReady).worker.call('repairRecording', file)
      } catch (error) {
        // The worker died during the repair, perhaps for the same reason as the one that recorded.
        if (!(error instanceof MediaWorkerGone) || attempt === REPAIR_ATTEMPTS || this.#stopping) throw error
      }
    }
  }

  async makePoster(source: string, target: string): Promise<void> {
    await this.#leastLoaded(({ worker }) => worker.ready).worker.call('makePoster', source, target)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    for (const timer of this.#respawns) clearTimeout(timer)
    await Promise.all(this.#slots.map((slot) => slot.worker.stop()))
    this.#guard.stop()
  }

  #leastLoaded(isFit: (slot: Slot) => boolean): Slot {
    return leastOf(this.#slots, isFit, ({ cpu }) => cpu.expected)
  }

  /** Starts a process for a slot and listens to it. */
  #fill(empty: Omit<Slot, 'worker' | 'startedAtMs'>): Slot {
    const slot: Slot = Object.assign(empty, {
      worker: new WorkerProcess(empty.settings, this.#folders, this.#containment),
      startedAtMs: performance.now(),
    })
    const worker = slot.worker
    const { pid } = worker
    if (pid !== undefined) this.#guard.add(pid)
    worker.on('ready', () => {
      this.#log.info({ pid, ports: slot.settings.portRange }, 'media worker ready')
      if (this.#isPrepared) this.#prepare(worker)
      for (const wake of this.#waitingForWorker) wake()
    })
    worker.on('port', () => {
      for (const wake of this.#waitingForWorker) wake()
    })
    worker.on('load', () => {
      slot.cpu.report(worker.load.cpu)
      slot.loop.report(worker.load.loop)
    })
    worker.on('room', (notice) => this.#onRoomEvent(slot, notice))
    worker.on('exit', ({ reason, wanted }) => {
      if (pid !== undefined) this.#guard.remove(pid)
      this.#onExit(slot, reason, wanted)
    })
    return slot
  }

  #onExit(slot: Slot, reason: string, wanted: boolean): void {
    const rooms = [...slot.rooms.values()]
    slot.rooms.clear()
    slot.cpu.clear()
    slot.loop.clear()
    for (const room of rooms) this.#emitDied(room, reason)
    for (const sessionId of [...slot.shares]) this.#loseShare(slot.worker, sessionId)
    slot.shares.clear()
    if (wanted || this.#stopping) return
    const livedMs = performance.now() - slot.startedAtMs
    slot.earlyDeaths = livedMs < HEALTHY_LIFE_MS ? slot.earlyDeaths + 1 : 0
    const delayMs =
      slot.earlyDeaths <= 1 ? 0 : Math.min(LONGEST_RESPAWN_DELAY_MS, 100 * 2 ** slot.earlyDeaths)
    this.#log.error({ reason, rooms: rooms.length, respawnInMs: delayMs }, 'media worker died')
    const timer = setTimeout(() => {
      this.#respawns.delete(timer)
      this.#fill(slot)
    }, delayMs)
    this.#respawns.add(timer)
  }

  #onRoomEvent(slot: Slot, { sessionId, event, params }: RoomNotice): void {
    const isServed = slot.shares.has(sessionId)
    const room = isServed ? this.#roomOf(sessionId) : slot.rooms.get(sessionId)
    if (event !== 'died') {
      room?.emit(event, params as never)
      return
    }
    if (isServed) {
      this.#loseShare(slot.worker, sessionId)
      return
    }
    // The worker has closed this room, and goes on with its others.
    slot.rooms.delete(sessionId)
    this.#log.error({ sessionId, reason: params.reason, pid: slot.worker.pid }, 'media room lost')
    if (room) this.#emitDied(room, params.reason)
  }

  #roomOf(sessionId: string): WorkerRoom | undefined {
    for (const { rooms } of this.#slots) {
      const room = rooms.get(sessionId)
      if (room) return room
    }
    return undefined
  }

  #emitDied(room: WorkerRoom, reason: string): void {
    room.dropShares()
    this.#emit(room, 'died', { reason })
  }

  /** Another machine tells of the viewers that it serves of a room of this one. */
  hear(host: ViewerHost, sessionId: string, notice: ViewerNotice): void {
    const room = this.#roomOf(sessionId)
    if (notice.event === 'died') {
      this.#log.warn({ sessionId, ...host.facts, reason: notice.params.reason }, 'viewers have to come again')
      this.#loseShare(host, sessionId)
    } else if (notice.event === 'leg') this.#emit(room, 'leg', notice.params)
    else if (room?.loseLeg(host, notice.params.legId)) this.#emit(room, 'legGone', notice.params)
  }

  /** A host does not serve its viewers of a room any more. They have to come again; the room goes on. */
  #loseShare(host: ViewerHost, sessionId: string): void {
    const room = this.#roomOf(sessionId)
    for (const legId of room?.loseShare(host) ?? []) this.#emit(room, 'legGone', { legId })
  }

  /** A listener that throws does not keep the others from being told. */
  #emit<E extends 'leg' | 'legGone' | 'died'>(
    room: MediaRoom | undefined,
    event: E,
    params: MediaRoomEvents[E][0],
  ): void {
    try {
      room?.emit(event, ...([params] as never))
    } catch (error) {
      this.#containment.note(`media room event ${event}`, error, { sessionId: room?.sessionId })
    }
  }

  #untilReady(isReady: () => boolean, timeoutMs = READY_TIMEOUT_MS): Promise<void> {
    if (isReady()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const settle = (outcome: () => void) => {
        clearTimeout(timeout)
        this.#waitingForWorker.delete(check)
        outcome()
      }
      const check = () => {
        if (isReady()) settle(resolve)
      }
      const timeout = setTimeout(
        () => settle(() => reject(new MediaWorkerGone(`no media worker became ready in ${timeoutMs} ms`))),
        timeoutMs,
      )
      this.#waitingForWorker.add(check)
    })
  }
}

/** Divides the ports into one slice per worker, as evenly as possible. No slice is empty. */
export function slicePorts(options: Pick<MediaOptions, 'mediaWorkers' | 'rtcPorts'>): PortRange[] {
  const { first, last } = options.rtcPorts
  const ports = last - first + 1
  const slices = Math.max(1, Math.min(options.mediaWorkers, ports))
  return Array.from({ length: slices }, (_, index) => ({
    first: first + Math.floor((index * ports) / slices),
    last: first + Math.floor(((index + 1) * ports) / slices) - 1,
  }))
}
