import type { ChatGrant } from './chat-token.ts'

export type ChatState = Readonly<Record<string, unknown>>

/** A member of a channel, as others see it. */
export interface ChatMemberView {
  id: string
  channel: string
  state: ChatState
}

/** A message, as clients see it. */
export interface ChatMessageView {
  id: string
  channel: string
  /** Any JSON. */
  content: unknown
  meta: Readonly<Record<string, unknown>>
  /** Unix milliseconds. */
  publishedAt: number
  member: ChatMemberView
}

/** An event in a channel. */
export type ChatEvent =
  | { type: 'message'; channel: string; message: ChatMessageView }
  | { type: 'member.joined' | 'member.updated' | 'member.left'; channel: string; member: ChatMemberView }

/** A type of event that a client can subscribe to. */
export type ChatEventType = ChatEvent['type']

export const CHAT_EVENT_TYPES: readonly ChatEventType[] = [
  'message',
  'member.joined',
  'member.updated',
  'member.left',
]

/** A client in chats. This interface does not depend on the connection that the client uses. */
export interface ChatClient {
  readonly grant: ChatGrant
  /** All receivers of an event get the same object. */
  notify(event: ChatEvent): void
}
