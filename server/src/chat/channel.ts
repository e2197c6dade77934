import type { ChannelNews, PresentMember } from './channel-news.ts'
import type { ChatClient, ChatEvent, ChatEventType, ChatMemberView, ChatState } from './chat-client.ts'

/** A member in the channel, with all of its clients. */
interface Presence {
  state: ChatState
  clients: Set<ChatClient>
}

interface ChannelOptions {
  /**
   * Whether a client may still receive events: its token may expire, or its member may leave the conference.
   */
  isAdmitted: (client: ChatClient) => boolean
  /** Tells the other nodes what clients of this one did. */
  tellOthers?: (news: ChannelNews) => void
}

/**
 * Members of a channel and their subscriptions to events. Other nodes of the cluster may have clients in it too: their
 * members are here, their subscriptions are not.
 */
export class Channel {
  readonly name: string
  readonly #subscriptions = new Map<ChatClient, Set<ChatEventType>>()
  readonly #members = new Map<string, Presence>()
  /** States of members by id, by the node where they are in. */
  readonly #elsewhere = new Map<string, Map<string, ChatState>>()
  /**
   * The last message in progress. The next one waits for it, so that messages arrive in the order in which they were
   * written.
   */
  #delivery: Promise<void> = Promise.resolve()
  #underWay = 0
  readonly #isAdmitted: (client: ChatClient) => boolean
  readonly #tellOthers: (news: ChannelNews) => void

  constructor(name: string, { isAdmitted, tellOthers = () => {} }: ChannelOptions) {
    this.name = name
    this.#isAdmitted = isAdmitted
    this.#tellOthers = tellOthers
  }

  /** True when the channel has no clients, and nothing is in progress in it. */
  get isIdle(): boolean {
    return this.#subscriptions.size === 0 && this.#underWay === 0
  }

  /** Something is in progress, until the returned function is called. */
  hold(): () => void {
    this.#underWay++
    return () => {
      this.#underWay--
    }
  }

  /** Members in order of arrival, those of other nodes last. */
  get members(): ChatMemberView[] {
    const members = new Map(this.ownMembers.map(({ id, state }) => [id, state]))
    for (const states of this.#elsewhere.values()) {
      for (const [id, state] of states) if (!members.has(id)) members.set(id, state)
    }
    return [...members].map(([id, state]) => this.#view(id, state))
  }

  /** Those who are in on this node. */
  get ownMembers(): PresentMember[] {
    return [...this.#members]
      .filter(([, { clients }]) => [...clients].some(this.#isAdmitted))
      .map(([id, { state }]) => ({ id, state }))
  }

  member(id: string): ChatMemberView | undefined {
    const state = this.#stateOf(id)
    return state && this.#view(id, state)
  }

  subscriptionOf(client: ChatClient): ChatEventType[] {
    return [...(this.#subscriptions.get(client) ?? [])]
  }

  has(client: ChatClient): boolean {
    return this.#subscriptions.has(client)
  }

  /** @param state state of the member, used only if the member is not in the channel yet, on any node */
  subscribe(client: ChatClient, types: Iterable<ChatEventType>, state: ChatState): void {
    const before = this.#subscriptions.get(client) ?? []
    this.#subscriptions.set(client, new Set([...before, ...types]))
    const { member_id: id } = client.grant
    const presence = this.#members.get(id)
    if (presence) {
      presence.clients.add(client)
      return
    }
    const known = this.#stateOf(id)
    const member = { id, state: known ?? state }
    this.#members.set(id, { state: member.state, clients: new Set([client]) })
    this.#tellOthers({ kind: 'joined', member })
    if (!known) this.#tellMember('member.joined', member)
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
    this.#tellOthers({ kind: 'left', id })
    this.#tellUnlessPresent({ id, state: presence.state })
  }

  /** Sets the state of a member, wherever it is in. Does nothing for one who is not in the channel. */
  setState(memberId: string, state: ChatState): void {
    const member = { id: memberId, state }
    if (this.#update(member)) this.#tellOthers({ kind: 'updated', member })
  }

  /** Another node tells what happened there. */
  heard(node: string, news: ChannelNews): void {
    if (news.kind === 'message') this.#tell({ type: 'message', channel: this.name, message: news.message })
    else if (news.kind === 'joined') this.#joinedElsewhere(node, news.member)
    else if (news.kind === 'updated') this.#update(news.member)
    else if (news.kind === 'left') this.#leftElsewhere(node, news.id)
    else this.#areThere(node, news.members)
  }

  /**
   * Delivers a message once it is stored, after all earlier messages.
   * @param event creates the event at the time of delivery
   * @returns a promise that rejects when the message could not be stored; then nobody receives it
   */
  async deliver(stored: Promise<void>, event: () => MessageEvent): Promise<void> {
    const release = this.hold()
    // `stored` may reject before its turn comes. Without a handler at that moment, this would be an unhandled
    // rejection.
    stored.catch(() => {})
    const delivered = this.#delivery.then(() => stored).then(() => this.#tellMessage(event()))
    this.#delivery = delivered.catch(() => {})
    try {
      await delivered
    } finally {
      release()
    }
  }

  #stateOf(id: string): ChatState | undefined {
    const own = this.#members.get(id)
    if (own) return own.state
    for (const states of this.#elsewhere.values()) {
      const state = states.get(id)
      if (state) return state
    }
    return undefined
  }

  #joinedElsewhere(node: string, member: PresentMember): void {
    const wasHere = this.#stateOf(member.id) !== undefined
    const states = this.#elsewhere.get(node) ?? new Map<string, ChatState>()
    this.#elsewhere.set(node, states.set(member.id, member.state))
    if (!wasHere) this.#tellMember('member.joined', member)
  }

  #leftElsewhere(node: string, id: string): void {
    const states = this.#elsewhere.get(node)
    const state = states?.get(id)
    if (!states || !state) return
    states.delete(id)
    if (states.size === 0) this.#elsewhere.delete(node)
    this.#tellUnlessPresent({ id, state })
  }

  #areThere(node: string, members: readonly PresentMember[]): void {
    const present = new Set(members.map(({ id }) => id))
    for (const id of [...(this.#elsewhere.get(node)?.keys() ?? [])]) {
      if (!present.has(id)) this.#leftElsewhere(node, id)
    }
    for (const member of members) this.#joinedElsewhere(node, member)
  }

  /** @returns whether the member is in the channel */
  #update(member: PresentMember): boolean {
    if (!this.#stateOf(member.id)) return false
    const own = this.#members.get(member.id)
    if (own) own.state = member.state
    for (const states of this.#elsewhere.values()) {
      if (states.has(member.id)) states.set(member.id, member.state)
    }
    this.#tellMember('member.updated', member)
    return true
  }

  /** The member left on one node. It may be in on another one. */
  #tellUnlessPresent(member: PresentMember): void {
    if (!this.#stateOf(member.id)) this.#tellMember('member.left', member)
  }

  #tellMember(type: 'member.joined' | 'member.updated' | 'member.left', { id, state }: PresentMember): void {
    this.#tell({ type, channel: this.name, member: this.#view(id, state) })
  }

  #tellMessage(event: MessageEvent): void {
    this.#tell(event)
    this.#tellOthers({ kind: 'message', message: event.message })
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

type MessageEvent = Extract<ChatEvent, { type: 'message' }>
