import { randomBytes, randomUUID } from 'node:crypto'
import type { LegOptions, MemberMedia } from './channel.ts'
import type { ServingRoomMethods, ViewerHost } from './viewer-host.ts'
import type { WorkerProcess } from './worker-process.ts'

const SECRET_BYTES = 32

export interface RoomShareOptions {
  sessionId: string
  /** Has the picture and the sound of the room. */
  head: WorkerProcess
  /** Serves viewers of it. */
  host: ViewerHost
}

/** The part of a room's viewers that one more worker, or another machine, serves. */
export class RoomShare {
  readonly host: ViewerHost
  /** Resolves once it can serve. Rejects where it cannot; nothing is left behind then. */
  readonly opened: Promise<void>
  readonly #sessionId: string
  readonly #head: WorkerProcess
  readonly #feedId = randomUUID()
  /** Members whose state it was told. */
  readonly #members = new Set<string>()
  #isOpen = false
  #closing: Promise<void> | null = null

  constructor({ sessionId, head, host }: RoomShareOptions) {
    this.host = host
    this.#sessionId = sessionId
    this.#head = head
    this.opened = this.#open()
    this.opened.catch(() => {})
  }

  /**
   * Has a leg answered. It sends nothing.
   * @param member the state of its member, if it is known
   * @throws as {@link ViewerHost}
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

  /** Ends its legs and the feed. Idempotent. Never rejects: who is gone has nothing to close. */
  close(): Promise<void> {
    this.#isOpen = false
    this.#closing ??= this.opened.then(
      () => this.#end(),
      () => {},
    )
    return this.#closing
  }

  #call<M extends keyof ServingRoomMethods>(
    method: M,
    ...args: Parameters<ServingRoomMethods[M]>
  ): Promise<ReturnType<ServingRoomMethods[M]>> {
    return this.host.callRoom(this.#sessionId, method, args)
  }

  async #end(): Promise<void> {
    await Promise.allSettled([
      this.host.call('closeRoom', this.#sessionId),
      this.#head.call('closeFeed', this.#sessionId, this.#feedId),
    ])
  }

  async #open(): Promise<void> {
    const sessionId = this.#sessionId
    const key = { feedId: this.#feedId, secret: randomBytes(SECRET_BYTES).toString('hex') }
    const address = await this.#head.call('openFeed', sessionId, key)
    try {
      await this.host.call('serveRoom', { sessionId, feed: { ...key, ...address } })
    } catch (error) {
      this.#head.call('closeFeed', sessionId, this.#feedId).catch(() => {})
      throw error
    }
    this.#isOpen = this.#closing === null
  }
}
