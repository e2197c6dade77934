import type { ChatClient, ChatEvent, ChatEventType, ChatMemberView, ChatState } from './chat-client.ts'

/** Somebody who is there, with as many clients as it has. */
interface Presence {
  state: ChatState
  clients: Set<ChatClient>
}

/** Who is in a channel, and wants to hear of what. */
export class Channel {
  readonly name: string
  readonly #subscriptions = new Map<ChatClient, Set<ChatEventType>>()
  readonly #members = new Map<string, Presence>()
  /** The last message on its way, so that all are delivered in the order in which they were written. */
  #delivery: Promise<void> = Promise.resolve()
  #underWay = 0
  readonly #isAdmitted: (client: ChatClient) => boolean

  /** @param isAdmitted whether a client may still be told of anything: tokens expire, conferences are left */
  constructor(name: string, isAdmitted: (client: ChatClient) => boolean) {
    this.name = name
    this.#isAdmitted = isAdmitted
  }

  /** Nobody is there, and no message on its way. */
  get isIdle(): boolean {
    return this.#subscriptions.size === 0 && this.#underWay === 0
  }

  /** In order of arrival. */
  get members(): ChatMemberView[] {
    return [...this.#members]
      .filter(([, { clients }]) => [...clients].some(this.#isAdmitted))
      .map(([id, { state }]) => this.#view(id, state))
  }

  member(id: string): ChatMemberView | undefined {
    const presence = this.#members.get(id)
    return presence && this.#view(id, presence.state)
  }

  has(client: ChatClient): boolean {
    return this.#subscriptions.has(client)
  }

  /** @param state what is seen of the member, if it is not there already */
  subscribe(client: ChatClient, types: Iterable<ChatEventType>, state: ChatState): void {
    const known = this.#subscriptions.get(client)
    this.#subscriptions.set(client, new Set([...(known ?? []), ...types]))
    const { member_id: id } = client.grant
    const presence = this.#members.get(id)
    if (presence) {
      presence.clients.add(client)
      return
    }
    this.#members.set(id, { state, clients: new Set([client]) })
    this.#tellMember('member.joined', this.#view(id, state))
  }

  /** The client wants to hear no more of these; of nothing at all, it leaves. */
  unsubscribe(client: ChatClient, types: Iterable<ChatEventType>): void {
    const subscription = this.#subscriptions.get(client)
    if (!subscription) return
    for (const type of types) subscription.delete(type)
    if (subscription.size === 0) this.leave(client)
  }

  leave(client: ChatClient): void {
    if (!this.#subscriptions.delete(client)) return
    const { member_id: id } = client.grant
    const presence = this.#members.get(id)
    presence?.clients.delete(client)
    if (!presence || presence.clients.size > 0) return
    this.#members.delete(id)
    this.#tellMember('member.left', this.#view(id, presence.state))
  }

  /** @returns whether the member is there */
  setState(memberId: string, state: ChatState): boolean {
    const presence = this.#members.get(memberId)
    if (!presence) return false
    presence.state = state
    this.#tellMember('member.updated', this.#view(memberId, state))
    return true
  }

  /**
   * Delivers a message once it is stored, and not before those written earlier.
   * @param event made when it is delivered
   * @returns rejects when it could not be stored; nobody hears of it then
   */
  async deliver(stored: Promise<void>, event: () => ChatEvent): Promise<void> {
    this.#underWay++
    // It may fail before its turn has come, and somebody must have looked at it by then.
    stored.catch(() => {})
    const delivered = this.#delivery.then(() => stored).then(() => this.#tell(event()))
    this.#delivery = delivered.catch(() => {})
    try {
      await delivered
    } finally {
      this.#underWay--
    }
  }

  #tellMember(type: 'member.joined' | 'member.updated' | 'member.left', member: ChatMemberView): void {
    this.#tell({ type, channel: this.name, member })
  }

  #tell(event: ChatEvent): void {
    for (const [client, types] of this.#subscriptions) {
      if (types.has(event.type) && this.#isAdmitted(client)) client.notify(event)
    }
  }

  #view(id: string, state: ChatState): ChatMemberView {
    return { id, channel: this.name, state }
  }
}
