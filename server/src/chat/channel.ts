import type { ChatClient, ChatEvent, ChatEventType, ChatMemberView, ChatState } from './chat-client.ts'

/** A member in the channel, with all of its clients. */
interface Presence {
  state: ChatState
  clients: Set<ChatClient>
}

/** Members of a channel and their subscriptions to events. */
export class Channel {
  readonly name: string
  readonly #subscriptions = new Map<ChatClient, Set<ChatEventType>>()
  readonly #members = new Map<string, Presence>()
  /**
   * The last message in progress. The next one waits for it, so that messages arrive in the order in which they were
   * written.
   */
  #delivery: Promise<void> = Promise.resolve()
  #underWay = 0
  readonly #isAdmitted: (client: ChatClient) => boolean

  /**
   * @param isAdmitted whether a client may still receive events: its token may expire, or its member may leave the
   * conference
   */
  constructor(name: string, isAdmitted: (client: ChatClient) => boolean) {
    this.name = name
    this.#isAdmitted = isAdmitted
  }

  /** True when the channel has no clients, and no message is in progress. */
  get isIdle(): boolean {
    return this.#subscriptions.size === 0 && this.#underWay === 0
  }

  /** Members in order of arrival. */
  get members(): ChatMemberView[] {
    return [...this.#members]
      .filter(([, { clients }]) => [...clients].some(this.#isAdmitted))
      .map(([id, { state }]) => this.#view(id, state))
  }

  member(id: string): ChatMemberView | undefined {
    const presence = this.#members.get(id)
    return presence && this.#view(id, presence.state)
  }

  subscriptionOf(client: ChatClient): ChatEventType[] {
    return [...(this.#subscriptions.get(client) ?? [])]
  }

  has(client: ChatClient): boolean {
    return this.#subscriptions.has(client)
  }

  /** @param state state of the member, used only if the member is not in the channel yet */
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

  /** Ends subscriptions to these events. A client without any subscription leaves the channel. */
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

  /** @returns whether the member is in the channel */
  setState(memberId: string, state: ChatState): boolean {
    const presence = this.#members.get(memberId)
    if (!presence) return false
    presence.state = state
    this.#tellMember('member.updated', this.#view(memberId, state))
    return true
  }

  /**
   * Delivers a message once it is stored, after all earlier messages.
   * @param event creates the event at the time of delivery
   * @returns a promise that rejects when the message could not be stored; then nobody receives it
   */
  async deliver(stored: Promise<void>, event: () => ChatEvent): Promise<void> {
    this.#underWay++
    // `stored` may reject before its turn comes. Without a handler at that moment, this would be an unhandled
    // rejection.
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
