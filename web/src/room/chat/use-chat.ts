import { useSyncExternalStore } from 'react'
import type { Chat } from './chat.ts'
import type { ChatState } from './chat-machine.ts'

/** The chat as it is now. */
export function useChat(chat: Chat): ChatState {
  return useSyncExternalStore(chat.subscribe, chat.snapshot)
}
