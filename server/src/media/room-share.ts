import { randomBytes, randomUUID } from 'node:crypto'
import type { LegOptions, MemberMedia, RoomMethod, RoomMethods } from './channel.ts'
import type { WorkerProcess } from './worker-process.ts'

const SECRET_BYTES = 32

export interface RoomShareOptions {
  sessionId: string
  /** Mixes the room. */
  mixer: WorkerProcess
  /** Serves viewers of it. */
  worker: WorkerProcess
}

/** The part of a room's viewers that one more worker serves. */
export class RoomShare {
  readonly worker: WorkerProcess
  /** Resolves once the worker can serve. Rejects where it cannot; nothing is left behind then. */
  readonly opened: Promise<void>
  readonly #sessionId: string
  readonly #mixer: WorkerProcess
  readonly #feedId = randomUUID()
  /** Members whose state it was told. */
  readonly #members = new Set<string>()
  #isOpen = false
  #closing: Promise<void> | null = null

  constructor({ sessionId, mixer, worker }: RoomShareOptions) {
    this.worker = worker
    this.#sessionId = sessionId
    this.#mixer = mixer
    this.opened = this.#open()
    this.opened.catch(() => {})
  }

  /**
   * Has a leg answered. It sends nothing.
   * @param member the state of its member, if it is known
   * @throws as `WorkerProcess.callRoom`
   */
  async connectLeg(leg: LegOptions, member: MemberMedia | undefined): Promise<{ answer: string }> {
    if (member) {
      this.#members.add(member.memberId)
      await this.#call('setMember', member)
    }
    return this.#call('connectLeg', { ...leg, maySendAudio: false, maySendVideo: false })
  }

  async closeLeg(legId: string): Promise<void> {
    if (this.#isOpen) await this.#call('closeLeg', legId)
  }

  /** Passes on the new state of a member, if it has a leg there. */
  async setMember(member: MemberMedia): Promise<void> {
    if (this.#members.has(member.memberId)) await this.#call('setMember', member)
  }

  async removeMember(memberId: string): Promise<void> {
    if (this.#members.delete(memberId)) await this.#call('removeMember', memberId)
  }

  /** Ends its legs and the feed. Idempotent. Never rejects: a worker that is gone has nothing to close. */
  close(): Promise<void> {
    this.#isOpen = false
    this.#closing ??= this.opened.then(
      () => this.#end(),
      () => {},
    )
    return this.#closing
  }

  #call<M extends RoomMethod>(
    method: M,
    ...args: Parameters<RoomMethods[M]>
  ): Promise<ReturnType<RoomMethods[M]>> {
    return this.worker.callRoom(this.#sessionId, method, args)
  }

  async #end(): Promise<void> {
    await Promise.allSettled([
      this.worker.call('closeRoom', this.#sessionId),
      this.#mixer.call('closeFeed', this.#sessionId, this.#feedId),
    ])
  }

  async #open(): Promise<void> {
    const sessionId = this.#sessionId
    const key = { feedId: this.#feedId, secret: randomBytes(SECRET_BYTES).toString('hex') }
    const address = await this.#mixer.call('openFeed', sessionId, key)
    try {
      await this.worker.call('serveRoom', { sessionId, feed: { ...key, ...address } })
    } catch (error) {
      this.#mixer.call('closeFeed', sessionId, this.#feedId).catch(() => {})
      throw error
    }
    this.#isOpen = this.#closing === null
  }
}
