import type { ChatGrant } from './chat-token.ts'

export type ChatState = Readonly<Record<string, unknown>>

/** Somebody in a channel, as the others see it. */
export interface ChatMemberView {
  id: string
  channel: string
  state: ChatState
}

/** A message, as it is shown. */
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

/** What happens in a channel. */
export type ChatEvent =
  | { type: 'message'; channel: string; message: ChatMessageView }
  | { type: 'member.joined' | 'member.updated' | 'member.left'; channel: string; member: ChatMemberView }

/** What a client can subscribe to. */
export type ChatEventType = ChatEvent['type']

export const CHAT_EVENT_TYPES: readonly ChatEventType[] = [
  'message',
  'member.joined',
  'member.updated',
  'member.left',
]

/** Who takes part in chats; the surface that it speaks through is not known here. */
export interface ChatClient {
  readonly grant: ChatGrant
  /** All who are told of the same event get the same object. */
  notify(event: ChatEvent): void
}
