import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import type { ListCursor, ListPage } from '../storage/list-page.ts'
import type { ChatMessageRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { Channel } from './channel.ts'
import { ChannelNetwork } from './channel-network.ts'
import type { ChatClient, ChatEventType, ChatMemberView, ChatMessageView, ChatState } from './chat-client.ts'
import { type ChatGrant, conferenceChannel, type SessionSeat } from './chat-token.ts'

/** Limit for the JSON of a message, in UTF-16 units. */
const CONTENT_MAX_LENGTH = 20_000
const META_MAX_LENGTH = 2000
const STATE_MAX_LENGTH = 2000
/** Messages on one page of a channel's history. */
const PAGE_SIZE = 50

/** Knows who is in the running sessions. */
export interface SessionMembers {
  /** @returns false once the member has left, or the session has ended */
  isIn(projectId: string, roomSessionId: string, memberId: string): boolean
}

export interface ChatOptions {
  storage: Pick<Storage, 'chatMessages'>
  sessions: SessionMembers
  clock: Clock
  cluster: Cluster
}

/**
 * The chat of all projects: rights in channels, members of channels, and stored messages. A channel is not created: it
 * exists from the moment when the first client enters it. It is the same on all nodes of a cluster.
 */
export class Chat {
  readonly #options: ChatOptions
  /** Keyed by project and channel name. */
  readonly #channels = new Map<string, Channel>()
  /** State that a client set for its channels. A client may set it before it enters a channel. */
  readonly #states = new WeakMap<ChatClient, Map<string, ChatState>>()

  /** Names of the channels that a client is in. */
  readonly #places = new WeakMap<ChatClient, Set<string>>()
  /** Clients that do not come back. */
  readonly #gone = new WeakSet<ChatClient>()
  readonly #network: ChannelNetwork

  constructor(options: ChatOptions) {
    this.#options = options
    this.#network = new ChannelNetwork(options.cluster, (projectId, name) =>
      this.#channels.get(keyOf(projectId, name)),
    )
  }

  /** Number of channels that have a client or a message under way. */
  get channelCount(): number {
    return this.#channels.size
  }

  /** Resolves when the client is in the channels. @throws Refusal */
  async subscribe(
    client: ChatClient,
    names: readonly string[],
    types: readonly ChatEventType[],
  ): Promise<void> {
    for (const name of names) this.#require(client, name, 'read')
    await this.#withOthers(client, names, () => this.#subscribe(client, names, types))
  }

  #subscribe(client: ChatClient, names: readonly string[], types: readonly ChatEventType[]): void {
    // It may have gone, or have got another token, while other nodes were asked.
    if (this.#gone.has(client)) return
    for (const name of names) this.#require(client, name, 'read')
    const places = this.#places.get(client) ?? new Set()
    this.#places.set(client, places)
    for (const name of names) {
      this.#open(client.grant.project_id, name).subscribe(client, types, this.#stateOf(client, name))
      places.add(name)
    }
  }

  /** Whether a client is in any channel. */
  isAnywhere(client: ChatClient): boolean {
    return (this.#places.get(client)?.size ?? 0) > 0
  }

  /** The events that a client gets, by channel. */
  subscriptions(client: ChatClient): Record<string, ChatEventType[]> {
    const places = [...(this.#places.get(client) ?? [])]
    return Object.fromEntries(
      places.map((name) => [name, this.#find(client, name)?.subscriptionOf(client) ?? []]),
    )
  }

  /** Leaves channels. It is no error to leave a channel that the client is not in. */
  unsubscribe(client: ChatClient, names: readonly string[], types: readonly ChatEventType[]): void {
    for (const name of names) {
      const channel = this.#find(client, name)
      channel?.unsubscribe(client, types)
      if (!channel?.has(client)) this.#places.get(client)?.delete(name)
      this.#closeIfIdle(client.grant.project_id, name)
    }
  }

  /**
   * Resolves when the message is stored and was delivered.
   * @param content any JSON
   * @throws Refusal
   */
  async publish(client: ChatClient, name: string, content: unknown, meta: ChatState): Promise<void> {
    this.#require(client, name, 'write')
    const text = JSON.stringify(content)
    limit('content', text, CONTENT_MAX_LENGTH, 'message_length_exceeds_limit')
    limit('meta', JSON.stringify(meta), META_MAX_LENGTH, 'message_length_exceeds_limit')
    const { grant } = client
    const record: ChatMessageRecord = {
      id: newId(),
      project_id: grant.project_id,
      channel: name,
      room_session_id: grant.seat?.roomSessionId ?? null,
      member_id: grant.member_id,
      from_name: grant.seat?.memberName ?? null,
      to_name: grant.seat?.roomName ?? null,
      content: text,
      meta,
      created_at: this.#options.clock.now(),
    }
    await this.#deliver(record, this.#stateOf(client, name))
  }

  /**
   * Writes into the chat of a session for somebody who is not in it. Resolves as {@link publish}.
   * @param text what everybody reads
   * @throws Refusal `message_length_exceeds_limit`
   */
  async announce(projectId: string, seat: SessionSeat, text: string): Promise<void> {
    const content = JSON.stringify(text)
    limit('content', content, CONTENT_MAX_LENGTH, 'message_length_exceeds_limit')
    const record: ChatMessageRecord = {
      id: newId(),
      project_id: projectId,
      channel: conferenceChannel(seat.roomSessionId),
      room_session_id: seat.roomSessionId,
      member_id: newId(),
      from_name: seat.memberName,
      to_name: seat.roomName,
      content,
      meta: {},
      created_at: this.#options.clock.now(),
    }
    await this.#deliver(record, { name: seat.memberName })
  }

  /** @param state of a sender who is not in the channel */
  async #deliver(record: ChatMessageRecord, state: ChatState): Promise<void> {
    const { project_id: projectId, channel: name, member_id } = record
    const channel = this.#open(projectId, name)
    try {
      await channel.deliver(this.#options.storage.chatMessages.insert(record), () => ({
        type: 'message',
        channel: name,
        message: view(record, channel.member(member_id)?.state ?? state),
      }))
    } finally {
      this.#closeIfIdle(projectId, name)
    }
  }

  /**
   * Messages of a channel, newest first.
   * @throws Refusal
   */
  async history(
    client: ChatClient,
    name: string,
    cursor: ListCursor | undefined,
  ): Promise<ListPage<ChatMessageView>> {
    this.#require(client, name, 'read')
    const { project_id: projectId } = client.grant
    const request = { limit: PAGE_SIZE, cursor }
    const page = await this.#options.storage.chatMessages.listOfChannel(projectId, name, request)
    const channel = this.#find(client, name)
    const stateOf = ({ member_id, from_name }: ChatMessageRecord) =>
      channel?.member(member_id)?.state ?? (from_name === null ? {} : { name: from_name })
    const rows = page.rows.map((record) => view(record, stateOf(record)))
    return { ...page, rows }
  }

  /** Members of a channel. @throws Refusal */
  async members(client: ChatClient, name: string): Promise<ChatMemberView[]> {
    this.#require(client, name, 'read')
    return this.#withOthers(client, [name], () => this.#find(client, name)?.members ?? [])
  }

  /**
   * Sets the state that others see of a member. A client may set its own state, also for channels that it enters later.
   * With the right to write it may set the state of another member, who must be in the channel. In the chat of a session no
   * client sets another member's state, and the member's name stays the name that it has in the room.
   * @throws Refusal
   */
  async setState(
    client: ChatClient,
    memberId: string,
    names: readonly string[],
    state: ChatState,
  ): Promise<void> {
    const isSelf = memberId === client.grant.member_id
    limit('state', JSON.stringify(state), STATE_MAX_LENGTH, 'state_size_limit_exceeded')
    for (const name of names) {
      this.#require(client, name, isSelf ? 'any' : 'write')
      if (!isSelf && client.grant.seat) throw notOneself()
    }
    const shown = isSelf ? withNameOfSeat(client.grant, state) : state
    await this.#withOthers(client, names, () => {
      for (const name of names) {
        if (!isSelf && !this.#find(client, name)?.member(memberId)) throw noSuchMember(name)
      }
      for (const name of names) {
        if (isSelf) this.#rememberState(client, name, shown)
        this.#find(client, name)?.setState(memberId, shown)
      }
    })
  }

  /**
   * State of a member, by channel. Channels that the member is not in are absent.
   * @throws Refusal
   */
  async states(
    client: ChatClient,
    memberId: string,
    names: readonly string[],
  ): Promise<Map<string, ChatState>> {
    const isSelf = memberId === client.grant.member_id
    for (const name of names) this.#require(client, name, isSelf ? 'any' : 'read')
    return this.#withOthers(client, names, () => {
      const found = new Map<string, ChatState>()
      for (const name of names) {
        const present = this.#find(client, name)?.member(memberId)
        if (present) found.set(name, present.state)
        else if (isSelf) found.set(name, this.#stateOf(client, name))
      }
      return found
    })
  }

  /** The client has a new token for the same member. It leaves the channels that the new token does not let it read. */
  tokenChanged(client: ChatClient, names: Iterable<string>): void {
    for (const name of names) if (!client.grant.channels.get(name)?.read) this.#leave(client, name)
  }

  /** Removes a client that will not come back. */
  disconnected(client: ChatClient): void {
    this.#gone.add(client)
    for (const name of [...(this.#places.get(client) ?? [])]) this.#leave(client, name)
  }

  #leave(client: ChatClient, name: string): void {
    this.#find(client, name)?.leave(client)
    this.#places.get(client)?.delete(name)
    this.#closeIfIdle(client.grant.project_id, name)
  }

  /** @throws Refusal when the token does not permit this now */
  #require(client: ChatClient, name: string, what: 'read' | 'write' | 'any'): void {
    const { grant } = client
    if (grant.expires_at <= this.#options.clock.now()) {
      throw new Refusal('token_expired', 'The token has expired. Ask for a new one.')
    }
    const access = grant.channels.get(name)
    const isGranted = what === 'any' ? access !== undefined : access?.[what] === true
    if (!isGranted) {
      const shown = name.slice(0, 250)
      throw new Refusal('not_permitted', `The token does not allow to ${VERBS[what]} the channel ${shown}.`)
    }
    if (!this.#isAdmitted(client)) {
      throw new Refusal('not_permitted', 'The chat of a room is for those who are in it.')
    }
  }

  /** Whether a client may receive events: its token is valid, and it is still in its session. */
  #isAdmitted({ grant }: ChatClient): boolean {
    const { seat, expires_at, member_id, project_id } = grant
    if (expires_at <= this.#options.clock.now()) return false
    return seat === null || this.#options.sessions.isIn(project_id, seat.roomSessionId, member_id)
  }

  #stateOf(client: ChatClient, name: string): ChatState {
    return this.#states.get(client)?.get(name) ?? withNameOfSeat(client.grant, client.grant.state)
  }

  #rememberState(client: ChatClient, name: string, state: ChatState): void {
    const states = this.#states.get(client) ?? new Map<string, ChatState>()
    this.#states.set(client, states.set(name, state))
  }

  #find({ grant }: ChatClient, name: string): Channel | undefined {
    return this.#channels.get(keyOf(grant.project_id, name))
  }

  /** Does something in channels of which it is known who is in on other nodes. */
  async #withOthers<T>({ grant }: ChatClient, names: readonly string[], work: () => T): Promise<T> {
    const { project_id: projectId } = grant
    if (this.#options.cluster.isAlone) return work()
    const channels = names.map((name) => this.#open(projectId, name))
    const releases = channels.map((channel) => channel.hold())
    try {
      await Promise.all(
        channels.map((channel) => this.#network.connect(channel, { projectId, name: channel.name })),
      )
      return work()
    } finally {
      for (const release of releases) release()
      for (const name of names) this.#closeIfIdle(projectId, name)
    }
  }

  #open(projectId: string, name: string): Channel {
    const key = keyOf(projectId, name)
    const known = this.#channels.get(key)
    if (known) return known
    const channel = new Channel(name, {
      isAdmitted: (client) => this.#isAdmitted(client),
      tellOthers: (news) => this.#network.tell({ projectId, name }, news),
    })
    this.#channels.set(key, channel)
    return channel
  }

  #closeIfIdle(projectId: string, name: string): void {
    const key = keyOf(projectId, name)
    const channel = this.#channels.get(key)
    if (!channel?.isIdle) return
    this.#channels.delete(key)
    this.#network.disconnect(channel)
  }
}

const VERBS = { read: 'read', write: 'write to', any: 'use' } as const

/** The key includes the project, so that two projects never share a channel of the same name. */
const keyOf = (projectId: string, name: string): string => JSON.stringify([projectId, name])

/**
 * In the chat of a session, a member keeps the name that it has in the room. The name in the client's state is
 * ignored.
 */
const withNameOfSeat = ({ seat }: ChatGrant, state: ChatState): ChatState =>
  seat ? { ...state, name: seat.memberName } : state

const notOneself = () =>
  new Refusal('not_permitted', 'In the chat of a room, members set their own state only.')

const noSuchMember = (channel: string) =>
  new Refusal('provided_id_is_unrecognized', `There is no such member in the channel ${channel}.`)

function limit(what: string, json: string, maxLength: number, code: ErrorCode): void {
  if (json.length <= maxLength) return
  throw new Refusal(code, `${what} must have at most ${maxLength} characters when it is written as JSON.`)
}

function view(record: ChatMessageRecord, state: ChatState): ChatMessageView {
  const { id, channel, member_id, content, meta, created_at } = record
  return {
    id,
    channel,
    content: JSON.parse(content),
    meta: meta ?? {},
    publishedAt: created_at,
    member: { id: member_id, channel, state },
  }
}
