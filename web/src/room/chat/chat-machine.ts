import type { TextId } from '../../languages/catalogs.ts'

/** A message that the server has delivered. */
export interface ChatMessage {
  id: string
  memberId: string
  name: string
  text: string
  /** Unix milliseconds. */
  atMs: number
}

/** A text of this person that is not delivered yet. */
export interface OwnText {
  /** The message bears it, so that it is recognised. */
  key: string
  text: string
  atMs: number
  /** Why the server refused it; null while it is under way. */
  refusal: TextId | null
}

/** What happened in the room while this page was there. */
export interface ChatNote {
  key: string
  what: RoomNews
  atMs: number
}

export type RoomNews =
  | { is: 'joined' | 'left'; name: string }
  | {
      is:
        | 'recording-started'
        | 'recording-paused'
        | 'recording-resumed'
        | 'recording-ended'
        | 'streaming-started'
        | 'streaming-ended'
        | 'locked'
        | 'unlocked'
    }

/** The chat of one stay in a room. It is a new object at each change. */
export interface ChatState {
  /** `away`: the page connects again by itself. `off`: this room has no chat. */
  is: 'starting' | 'ready' | 'away' | 'off'
  /** In the order of writing, each once. */
  messages: readonly ChatMessage[]
  notes: readonly ChatNote[]
  outbox: readonly OwnText[]
  /** The own member, as the server knows it. */
  selfId: string | null
  /** Where messages earlier than the first one continue; null if there are none. */
  earlier: string | null
  isOpen: boolean
  /** Messages of others since the chat was last open. */
  unread: number
  /** The latest message of somebody else that came while the page was there. */
  latest: ChatMessage | null
}

/** @property key the key of the sender's page, if it gave one */
export interface ReceivedMessage extends ChatMessage {
  key: string | null
}

export type ChatMachineEvent =
  /**
   * The page is connected and has read what it did not know.
   * @property received in any order
   * @property earlier see {@link ChatState}; undefined if what was read joins what was known
   */
  | {
      kind: 'connected'
      selfId: string
      received: readonly ReceivedMessage[]
      earlier: string | null | undefined
    }
  | { kind: 'lost' }
  | { kind: 'off' }
  | { kind: 'message'; message: ReceivedMessage }
  | { kind: 'earlier'; received: readonly ReceivedMessage[]; earlier: string | null }
  | { kind: 'write'; key: string; text: string; atMs: number }
  | { kind: 'refused'; key: string; why: TextId }
  /** The person takes a refused text back. */
  | { kind: 'drop'; key: string }
  | { kind: 'note'; note: ChatNote }
  | { kind: 'shown'; isOpen: boolean }

export type ChatEffect = { do: 'publish'; key: string; text: string }

/** Notes of what happened in the room that are kept. */
const NOTES_KEPT = 200

export const initialChat: ChatState = {
  is: 'starting',
  messages: [],
  notes: [],
  outbox: [],
  selfId: null,
  earlier: null,
  isOpen: false,
  unread: 0,
  latest: null,
}

type Step = readonly [ChatState, readonly ChatEffect[]]

/** Returns the chat after an event, and the effects to carry out. */
export function nextChat(chat: ChatState, event: ChatMachineEvent): Step {
  const only = (part: Partial<ChatState>): Step => [{ ...chat, ...part }, []]
  switch (event.kind) {
    case 'connected': {
      const { selfId, received, earlier = chat.earlier } = event
      const isReturn = chat.is === 'away'
      const after = withMessages({ ...chat, is: 'ready', selfId, earlier }, received, isReturn)
      return [after, after.outbox.filter(isUnderWay).map(({ key, text }) => ({ do: 'publish', key, text }))]
    }
    case 'lost':
      return chat.is === 'ready' ? only({ is: 'away' }) : [chat, []]
    case 'off':
      return only({ is: 'off' })
    case 'message':
      return [withMessages(chat, [event.message], true), []]
    case 'earlier':
      return [withMessages({ ...chat, earlier: event.earlier }, event.received, false), []]
    case 'write': {
      const { key, text, atMs } = event
      const after = { ...chat, outbox: [...chat.outbox, { key, text, atMs, refusal: null }] }
      return [after, chat.is === 'ready' ? [{ do: 'publish', key, text }] : []]
    }
    case 'refused':
      return only({
        outbox: chat.outbox.map((one) => (one.key === event.key ? { ...one, refusal: event.why } : one)),
      })
    case 'drop':
      return only({ outbox: chat.outbox.filter(({ key }) => key !== event.key) })
    case 'note':
      return only({ notes: [...chat.notes.slice(1 - NOTES_KEPT), event.note] })
    case 'shown':
      return only({ isOpen: event.isOpen, ...(event.isOpen && { unread: 0 }) })
  }
}

const isUnderWay = ({ refusal }: OwnText) => refusal === null

/** @param areNews whether messages of others are unread until the chat is open */
function withMessages(chat: ChatState, received: readonly ReceivedMessage[], areNews: boolean): ChatState {
  const known = new Set(chat.messages.map(({ id }) => id))
  const fresh: ReceivedMessage[] = []
  for (const message of received) {
    if (known.has(message.id)) continue
    known.add(message.id)
    fresh.push(message)
  }
  if (fresh.length === 0) return chat
  // Nobody else knows the key of a text that is under way.
  const delivered = new Set(fresh.map(({ key }) => key))
  const ofOthers = areNews ? fresh.filter(({ memberId }) => memberId !== chat.selfId).sort(byTime) : []
  return {
    ...chat,
    messages: inOrder(chat.messages, fresh.map(plain)),
    outbox: chat.outbox.some(({ key }) => delivered.has(key))
      ? chat.outbox.filter(({ key }) => !delivered.has(key))
      : chat.outbox,
    unread: chat.isOpen ? 0 : chat.unread + ofOthers.length,
    latest: ofOthers.at(-1) ?? chat.latest,
  }
}

const plain = ({ key: _, ...message }: ReceivedMessage): ChatMessage => message
const byTime = (one: ChatMessage, other: ChatMessage) => one.atMs - other.atMs

/** The usual message is the latest one: then nothing is sorted. */
function inOrder(known: readonly ChatMessage[], fresh: readonly ChatMessage[]): readonly ChatMessage[] {
  const last = known.at(-1)
  const [only] = fresh
  if (fresh.length === 1 && only && (!last || only.atMs >= last.atMs)) return [...known, only]
  return [...known, ...fresh].sort(byTime)
}
