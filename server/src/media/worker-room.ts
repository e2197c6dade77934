import { EventEmitter } from 'node:events'
import type { Logger } from 'pino'
import {
  type LegOptions,
  type MemberMedia,
  type RecordingResult,
  type Remote,
  ROOM_METHODS,
  type RoomMediaOptions,
  type RoomMethod,
  type RoomMethods,
} from './channel.ts'
import { type MediaRoom, type MediaRoomEvents, MediaWorkerGone } from './media-plane.ts'
import { RoomShare } from './room-share.ts'
import type { WorkerProcess } from './worker-process.ts'

/** After a worker could not serve a room, its viewers stay with the mixing worker for a while. */
const SHARE_RETRY_MS = 30_000

/** A media room that one worker mixes and records, and whose viewers others may serve. */
export interface WorkerRoom extends MediaRoom {
  /** Mixes the room. */
  readonly worker: WorkerProcess
  /** This worker serves its share no more. @returns the legs that are gone with it */
  loseShare(worker: WorkerProcess): string[]
  /** The room is gone: nobody needs to serve it. */
  dropShares(): void
}

export interface WorkerRoomOptions {
  media: RoomMediaOptions
  /** Mixes the room. */
  worker: WorkerProcess
  /** Chooses who serves one more viewer. @param serving other workers that serve viewers of this room already */
  placeViewer: (mixer: WorkerProcess, serving: ReadonlySet<WorkerProcess>) => WorkerProcess
  /** A worker serves viewers of the room from now on, or not any more. */
  onShare: (worker: WorkerProcess, isOpen: boolean) => void
  /** The room is closed. */
  onClosed: () => void
  log: Logger
}

/** Where a leg is served. */
interface PlacedLeg {
  /** Null for the mixing worker. */
  share: RoomShare | null
  /** Another worker has answered its offer. */
  isAnswered: boolean
}

/** Opens a room in the worker. */
export async function openWorkerRoom(options: WorkerRoomOptions): Promise<WorkerRoom> {
  const { worker, media } = options
  const handle = new RoomHandle(options)
  const room = Object.assign(handle, remoteMethods(worker, media.sessionId), handle.sharedMethods)
  await worker.call('createRoom', media)
  return room
}

/** Members of a room besides {@link RoomMethods}. */
class RoomHandle extends EventEmitter<MediaRoomEvents> {
  readonly worker: WorkerProcess
  readonly sessionId: string
  readonly #options: WorkerRoomOptions
  readonly #shares = new Map<WorkerProcess, RoomShare>()
  /** A leg stays where it is. */
  readonly #legs = new Map<string, PlacedLeg>()
  /** The state of each member, for workers that come to serve it. */
  readonly #members = new Map<string, MemberMedia>()
  #noShareBeforeMs = Number.NEGATIVE_INFINITY
  #closing: Promise<RecordingResult[]> | null = null

  constructor(options: WorkerRoomOptions) {
    super()
    this.worker = options.worker
    this.sessionId = options.media.sessionId
    this.#options = options
  }

  /** The methods that another worker than the mixing one may have to do. */
  get sharedMethods(): Pick<Remote<RoomMethods>, 'connectLeg' | 'closeLeg' | 'setMember' | 'removeMember'> {
    return {
      connectLeg: (leg) => this.#connectLeg(leg),
      closeLeg: (legId) => {
        const share = this.#legs.get(legId)?.share
        this.#legs.delete(legId)
        return share ? closeAt(share, legId) : this.#callMixer('closeLeg', legId)
      },
      setMember: (member) => {
        this.#members.set(member.memberId, member)
        return this.#callAll(this.#callMixer('setMember', member), (share) => share.setMember(member))
      },
      removeMember: (memberId) => {
        this.#members.delete(memberId)
        return this.#callAll(this.#callMixer('removeMember', memberId), (share) =>
          share.removeMember(memberId),
        )
      },
    }
  }

  close(): Promise<RecordingResult[]> {
    this.dropShares()
    this.#closing ??= this.worker.call('closeRoom', this.sessionId).finally(() => this.#options.onClosed())
    return this.#closing
  }

  loseShare(worker: WorkerProcess): string[] {
    const share = this.#shares.get(worker)
    if (!share) return []
    this.#drop(share)
    const lost: string[] = []
    // Legs that still wait for their answer go to the mixing worker.
    for (const [legId, leg] of this.#legs) if (leg.share === share && leg.isAnswered) lost.push(legId)
    for (const legId of lost) this.#legs.delete(legId)
    return lost
  }

  dropShares(): void {
    for (const share of this.#shares.values()) this.#drop(share)
  }

  /** Has a leg answered where it is served already, or else where there is most room. */
  async #connectLeg(leg: LegOptions): Promise<{ answer: string }> {
    const { legId } = leg
    const placed = this.#legs.get(legId) ?? { share: this.#place(leg), isAnswered: false }
    this.#legs.set(legId, placed)
    const answer = placed.share && (await this.#connectAt(placed.share, leg, placed.isAnswered))
    if (this.#legs.get(legId) !== placed) throw new Error('the leg is closed')
    if (answer) placed.isAnswered = true
    else placed.share = null
    return answer ?? this.#callMixer('connectLeg', leg)
  }

  /**
   * @param isServed whether the leg is served there already
   * @returns null where the worker cannot serve, or ends meanwhile, so that the mixing worker has to
   */
  async #connectAt(share: RoomShare, leg: LegOptions, isServed: boolean): Promise<{ answer: string } | null> {
    try {
      await share.opened
    } catch (error) {
      this.#giveUp(share, error)
      return null
    }
    if (!this.#legs.has(leg.legId)) return null
    try {
      return await share.connectLeg(leg, this.#members.get(leg.memberId))
    } catch (error) {
      if (error instanceof MediaWorkerGone && !isServed) return null
      throw error
    }
  }

  #giveUp(share: RoomShare, error: unknown): void {
    // Several legs may have waited for it.
    if (this.#shares.get(share.worker) !== share) return
    const { log } = this.#options
    log.warn({ err: error, sessionId: this.sessionId, pid: share.worker.pid }, 'worker cannot serve a room')
    this.#noShareBeforeMs = performance.now() + SHARE_RETRY_MS
    this.#drop(share)
  }

  /** @returns null for a leg that the mixing worker serves */
  #place({ maySendAudio, maySendVideo }: LegOptions): RoomShare | null {
    // What somebody sends is wanted at the mixing worker.
    if (maySendAudio || maySendVideo || this.#closing) return null
    if (performance.now() < this.#noShareBeforeMs) return null
    const worker = this.#options.placeViewer(this.worker, new Set(this.#shares.keys()))
    if (worker === this.worker) return null
    return this.#shares.get(worker) ?? this.#share(worker)
  }

  #share(worker: WorkerProcess): RoomShare {
    const share = new RoomShare({ sessionId: this.sessionId, mixer: this.worker, worker })
    this.#shares.set(worker, share)
    this.#options.onShare(worker, true)
    return share
  }

  #drop(share: RoomShare): void {
    this.#shares.delete(share.worker)
    this.#options.onShare(share.worker, false)
    void share.close()
  }

  #callMixer<M extends RoomMethod>(
    method: M,
    ...args: Parameters<RoomMethods[M]>
  ): Promise<ReturnType<RoomMethods[M]>> {
    return this.worker.callRoom(this.sessionId, method, args)
  }

  /** Waits for all workers of the room. A share that does not do it is about to be lost, with its legs. */
  async #callAll(mixer: Promise<void>, atShare: (share: RoomShare) => Promise<void>): Promise<void> {
    await Promise.all([mixer, ...[...this.#shares.values()].map((share) => atShare(share).catch(() => {}))])
  }
}

/** Where the worker is gone, the leg is gone with it. The room goes on. */
async function closeAt(share: RoomShare, legId: string): Promise<void> {
  try {
    await share.closeLeg(legId)
  } catch (error) {
    if (!(error instanceof MediaWorkerGone)) throw error
  }
}

/** One function for each method of a room; calling it sends a request to the worker. */
function remoteMethods(worker: WorkerProcess, sessionId: string): Remote<RoomMethods> {
  const methods = Object.keys(ROOM_METHODS) as RoomMethod[]
  return Object.fromEntries(
    methods.map((method) => [
      method,
      (...args: Parameters<RoomMethods[RoomMethod]>) => worker.callRoom(sessionId, method, args),
    ]),
  ) as Remote<RoomMethods>
}
