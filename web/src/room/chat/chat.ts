import type { TextId } from '../../languages/catalogs.ts'
import { within } from '../within.ts'
import {
  type ChatEffect,
  type ChatMachineEvent,
  type ChatState,
  initialChat,
  nextChat,
  type ReceivedMessage,
  type RoomNews,
} from './chat-machine.ts'
import { ChatRefusal, ChatSocket } from './chat-socket.ts'
import { readMessage, type WireMessage } from './chat-wire.ts'

/** A token for the chat of the session that the page is in, and the name of its channel. */
export interface ChatAccess {
  token: string
  channel: string
}

/** Asks for access with the call of the room. Null: this room has no chat. @throws if it cannot be had now */
export type AskAccess = () => Promise<ChatAccess | null>

/** Pauses before the page connects again, in milliseconds. The last one repeats. */
const PAUSES_MS = [500, 1000, 2000, 4000, 8000]
/** The client of the call may keep a request that a drop cut off, and never answer it. */
const ACCESS_LIMIT_MS = 15_000
/** Pages of history that are read after a drop. Who was away for longer sees a gap, and can read on from there. */
const PAGES_OF_GAP = 10

const REFUSALS: Readonly<Record<string, TextId>> = {
  '403': 'chat.refused-right',
  '413': 'chat.refused-length',
  '429': 'chat.refused-pace',
}

/** The chat of one stay in a room: a store around its socket. It passes each event to {@link nextChat}. */
export class Chat {
  /** What the person is writing. It outlives the panel. */
  draft = ''
  #state: ChatState = initialChat
  #socket: ChatSocket | null = null
  #channel = ''
  #askAccess: AskAccess | null = null
  /** Good for as long as the member is in the session, so a drop of the call does not keep the chat away. */
  #access: ChatAccess | null = null
  #failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #isEnded = false
  #isReadingEarlier = false
  readonly #listeners = new Set<() => void>()

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  snapshot = (): ChatState => this.#state

  /** Goes on with the chat of an earlier stay in the same room, which was interrupted. */
  carry({ messages, notes, outbox, isOpen }: ChatState): void {
    this.#state = { ...initialChat, messages, notes, outbox, isOpen }
  }

  /** Connects, and stays connected until {@link end}. */
  start(askAccess: AskAccess): void {
    this.#askAccess = askAccess
    void this.#connect()
  }

  end(): void {
    this.#isEnded = true
    clearTimeout(this.#timer)
    this.#socket?.close()
  }

  write(text: string): void {
    this.#take({ kind: 'write', key: crypto.randomUUID(), text, atMs: Date.now() })
  }

  /** Takes back a text that was refused. */
  drop(key: string): void {
    this.#take({ kind: 'drop', key })
  }

  /** Notes what happened in the room, between the messages. */
  note(news: readonly RoomNews[]): void {
    for (const what of news) {
      this.#take({ kind: 'note', note: { key: crypto.randomUUID(), what, atMs: Date.now() } })
    }
  }

  /** The panel was opened or closed. */
  show(isOpen: boolean): void {
    if (isOpen !== this.#state.isOpen) this.#take({ kind: 'shown', isOpen })
  }

  /** Reads messages that are earlier than the first one. */
  async readEarlier(): Promise<void> {
    const { earlier } = this.#state
    const socket = this.#socket
    if (earlier === null || !socket || this.#isReadingEarlier) return
    this.#isReadingEarlier = true
    try {
      const page = await this.#page(socket, earlier)
      this.#take({ kind: 'earlier', ...page })
    } catch {
      // The page reads them again when the person asks again.
    } finally {
      this.#isReadingEarlier = false
    }
  }

  async #connect(): Promise<void> {
    let socket: ChatSocket | null = null
    try {
      this.#access ??= await within(ACCESS_LIMIT_MS, this.#askAccess?.() ?? Promise.resolve(null))
      const access = this.#access
      if (this.#isEnded) return
      if (!access) {
        this.#take({ kind: 'off' })
        return
      }
      this.#channel = access.channel
      socket = new ChatSocket({
        url: `wss://${window.location.host}/`,
        onEvent: (type, params) => this.#event(type, params),
        onGone: () => this.#gone(),
      })
      this.#socket = socket
      const selfId = await socket.signIn(access.token)
      const known = new Set(this.#state.messages.map(({ id }) => id))
      await socket.request('chat.subscribe', {
        channels: [{ name: this.#channel }],
        events: ['chat.message'],
      })
      const read = await this.#catchUp(socket, known)
      this.#failures = 0
      this.#take({ kind: 'connected', selfId, ...read })
    } catch (error) {
      if (error instanceof ChatRefusal) this.#access = null
      if (socket) socket.close()
      else this.#connectLater()
    }
  }

  #gone(): void {
    this.#take({ kind: 'lost' })
    this.#connectLater()
  }

  #connectLater(): void {
    if (this.#isEnded) return
    const pause = PAUSES_MS[Math.min(this.#failures++, PAUSES_MS.length - 1)] ?? 0
    this.#timer = setTimeout(() => void this.#connect(), pause * (0.75 + Math.random() / 2))
  }

  /**
   * Reads the newest page, and on from there to the first message that is known.
   * @param known ids before the page was subscribed again
   */
  async #catchUp(
    socket: ChatSocket,
    known: ReadonlySet<string>,
  ): Promise<{ received: ReceivedMessage[]; earlier: string | null | undefined }> {
    const isJoined = (list: readonly ReceivedMessage[]) => list.some(({ id }) => known.has(id))
    const first = await this.#page(socket, null)
    const received = [...first.received]
    let { earlier } = first
    const pages = known.size === 0 ? 0 : PAGES_OF_GAP
    for (let count = 0; count < pages && earlier !== null && !isJoined(received); count++) {
      const page = await this.#page(socket, earlier)
      received.push(...page.received)
      earlier = page.earlier
    }
    return { received, earlier: isJoined(received) ? undefined : earlier }
  }

  async #page(socket: ChatSocket, after: string | null) {
    const cursor = after === null ? {} : { cursor: { after } }
    const answer = await socket.request('chat.messages.get', { channel: this.#channel, ...cursor })
    const { messages, cursor: next } = answer as {
      messages: WireMessage[]
      cursor: { after: string | null }
    }
    return { received: messages.map(readMessage), earlier: next.after }
  }

  #event(type: string, params: unknown): void {
    if (type !== 'chat.channel.message') return
    const { channel, message } = params as { channel: string; message: WireMessage }
    if (channel === this.#channel) this.#take({ kind: 'message', message: readMessage(message) })
  }

  #take(event: ChatMachineEvent): void {
    const before = this.#state
    const [state, effects] = nextChat(before, event)
    this.#state = state
    for (const effect of effects) void this.#publish(effect)
    if (state === before) return
    for (const listener of this.#listeners) listener()
  }

  async #publish({ key, text }: ChatEffect): Promise<void> {
    const params = { channel: this.#channel, content: text, meta: { key } }
    try {
      await this.#socket?.request('chat.publish', params)
    } catch (error) {
      // A text that a drop cut off is written again once the page is back, unless it has arrived.
      if (!(error instanceof ChatRefusal)) return
      this.#take({ kind: 'refused', key, why: REFUSALS[error.code] ?? 'chat.refused' })
    }
  }
}
