import type { ChatMessageView, ChatState } from './chat-client.ts'

/** A member of a channel who is in it on some node. */
export interface PresentMember {
  id: string
  state: ChatState
}

/** What a node tells the others about a channel. */
export type ChannelNews =
  | { kind: 'message'; message: ChatMessageView }
  | { kind: 'joined'; member: PresentMember }
  | { kind: 'updated'; member: PresentMember }
  | { kind: 'left'; id: string }
  /** All who are in on that node. */
  | { kind: 'here'; members: readonly PresentMember[] }
