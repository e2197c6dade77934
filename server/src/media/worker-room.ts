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
  type ServedRoomOptions,
} from './channel.ts'
import { type MediaRoom, type MediaRoomEvents, MediaWorkerGone } from './media-plane.ts'
import { RoomShare } from './room-share.ts'
import type { ViewerHost } from './viewer-host.ts'
import type { WorkerProcess } from './worker-process.ts'

/** After somebody could not serve a room, the viewers that it would have got stay with the head for a while. */
const SHARE_RETRY_MS = 30_000

/** A media room that one worker, its head, mixes and records, and whose viewers others may serve. */
export interface WorkerRoom extends MediaRoom {
  /** The head. */
  readonly worker: WorkerProcess
  /** This host serves its share no more. @returns the legs that are gone with it */
  loseShare(host: ViewerHost): string[]
  /** This host serves a leg no more. @returns whether it did so far */
  loseLeg(host: ViewerHost, legId: string): boolean
  /** The room is gone: nobody needs to serve it. */
  dropShares(): void
}

export interface WorkerRoomOptions {
  sessionId: string
  /** The head of the room. */
  worker: WorkerProcess
  /** Chooses who serves one more viewer. @param serving others that serve viewers of this room already */
  placeViewer: (head: WorkerProcess, serving: ReadonlySet<ViewerHost>) => ViewerHost
  /** A host serves viewers of the room from now on, or not any more. */
  onShare: (host: ViewerHost, isOpen: boolean) => void
  /** The room is closed. */
  onClosed: () => void
  log: Logger
}

/** Where a leg is served. */
interface PlacedLeg {
  /** Null for the head. */
  share: RoomShare | null
  /** Another host has answered its offer. */
  isAnswered: boolean
}

/** Opens a room that the worker mixes. */
export async function openWorkerRoom(
  media: RoomMediaOptions,
  options: Omit<WorkerRoomOptions, 'sessionId'>,
): Promise<WorkerRoom> {
  const room = newRoom({ ...options, sessionId: media.sessionId })
  await options.worker.call('createRoom', media)
  return room
}

/** Opens a room that another machine mixes. The worker gets its feed, and feeds the others of this machine. */
export async function openServedRoom(
  served: ServedRoomOptions,
  options: Omit<WorkerRoomOptions, 'sessionId'>,
): Promise<WorkerRoom> {
  const room = newRoom({ ...options, sessionId: served.sessionId })
  await options.worker.call('serveRoom', served)
  return room
}

function newRoom(options: WorkerRoomOptions): WorkerRoom {
  const handle = new RoomHandle(options)
  return Object.assign(handle, remoteMethods(options.worker, options.sessionId), handle.sharedMethods)
}

/** Members of a room besides {@link RoomMethods}. */
class RoomHandle extends EventEmitter<MediaRoomEvents> {
  readonly worker: WorkerProcess
  readonly sessionId: string
  readonly #options: WorkerRoomOptions
  readonly #shares = new Map<ViewerHost, RoomShare>()
  /** A leg stays where it is. */
  readonly #legs = new Map<string, PlacedLeg>()
  /** The state of each member, for hosts that come to serve it. */
  readonly #members = new Map<string, MemberMedia>()
  /** When those that could not serve the room may be tried again. */
  readonly #retryAtMs = new WeakMap<ViewerHost, number>()
  #closing: Promise<RecordingResult[]> | null = null

  constructor(options: WorkerRoomOptions) {
    super()
    this.worker = options.worker
    this.sessionId = options.sessionId
    this.#options = options
  }

  /** The methods that somebody else than the head may have to do. */
  get sharedMethods(): Pick<Remote<RoomMethods>, 'connectLeg' | 'closeLeg' | 'setMember' | 'removeMember'> {
    return {
      connectLeg: (leg) => this.#connectLeg(leg),
      closeLeg: (legId) => {
        const share = this.#legs.get(legId)?.share
        this.#legs.delete(legId)
        return share ? closeAt(share, legId) : this.#callHead('closeLeg', legId)
      },
      setMember: (member) => {
        this.#members.set(member.memberId, member)
        return this.#callAll(this.#callHead('setMember', member), (share) => share.setMember(member))
      },
      removeMember: (memberId) => {
        this.#members.delete(memberId)
        return this.#callAll(this.#callHead('removeMember', memberId), (share) =>
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

  loseLeg(host: ViewerHost, legId: string): boolean {
    return this.#legs.get(legId)?.share?.host === host && this.#legs.delete(legId)
  }

  loseShare(host: ViewerHost): string[] {
    const share = this.#shares.get(host)
    if (!share) return []
    this.#drop(share)
    const lost: string[] = []
    // Legs that still wait for their answer go to the head.
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
    this.#mustStay(legId, placed)
    if (answer) {
      placed.isAnswered = true
      return answer
    }
    placed.share = null
    const answerOfHead = await this.#callHead('connectLeg', leg)
    this.#mustStay(legId, placed)
    return answerOfHead
  }

  /** @throws if the leg was closed while it was connected */
  #mustStay(legId: string, placed: PlacedLeg): void {
    if (this.#legs.get(legId) !== placed) throw new Error('the leg is closed')
  }

  /**
   * @param isServed whether the leg is served there already
   * @returns null where it cannot serve, or ends meanwhile, so that the head has to
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
      const answer = await share.connectLeg(leg, this.#members.get(leg.memberId))
      // A host may still answer that has been given up meanwhile.
      return isServed || this.#shares.get(share.host) === share ? answer : null
    } catch (error) {
      if (!(error instanceof MediaWorkerGone) || isServed) throw error
      // It may have answered too late.
      share.closeLeg(leg.legId).catch(() => {})
      return null
    }
  }

  #giveUp(share: RoomShare, error: unknown): void {
    // Several legs may have waited for it.
    if (this.#shares.get(share.host) !== share) return
    const { log, sessionId } = this.#options
    log.warn({ err: error, sessionId, ...share.host.facts }, 'viewers of a room cannot be served there')
    this.#retryAtMs.set(share.host, performance.now() + SHARE_RETRY_MS)
    this.#drop(share)
  }

  /** @returns null for a leg that the head serves */
  #place({ maySendAudio, maySendVideo }: LegOptions): RoomShare | null {
    // What somebody sends is wanted where it is mixed.
    if (maySendAudio || maySendVideo || this.#closing) return null
    const host = this.#options.placeViewer(this.worker, new Set(this.#shares.keys()))
    if (host === this.worker || performance.now() < (this.#retryAtMs.get(host) ?? 0)) return null
    return this.#shares.get(host) ?? this.#share(host)
  }

  #share(host: ViewerHost): RoomShare {
    const share = new RoomShare({ sessionId: this.sessionId, head: this.worker, host })
    this.#shares.set(host, share)
    this.#options.onShare(host, true)
    return share
  }

  #drop(share: RoomShare): void {
    this.#shares.delete(share.host)
    this.#options.onShare(share.host, false)
    void share.close()
  }

  #callHead<M extends RoomMethod>(
    method: M,
    ...args: Parameters<RoomMethods[M]>
  ): Promise<ReturnType<RoomMethods[M]>> {
    return this.worker.callRoom(this.sessionId, method, args)
  }

  /** Waits for all who serve the room. A share that does not do it is about to be lost, with its legs. */
  async #callAll(head: Promise<void>, atShare: (share: RoomShare) => Promise<void>): Promise<void> {
    await Promise.all([head, ...[...this.#shares.values()].map((share) => atShare(share).catch(() => {}))])
  }
}

/** Where the host is gone, the leg is gone with it. The room goes on. */
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
