import type { ChatPage, HeardInChat } from '../page/chat.ts'
import type { Participant } from './participant.ts'

/** Chat clients in one page. The test chooses the name of each. */
export interface ChatClients {
  participant: Participant
  open(name: string, token: string, kind?: 'Chat' | 'PubSub'): Promise<void>
  call(name: string, method: string, parameters?: unknown): Promise<unknown>
  heard(name: string): Promise<HeardInChat[]>
  messagesTo(name: string): Promise<HeardInChat[]>
}

/** Loads the chat clients into a participant's page. */
export async function openChat(participant: Participant): Promise<ChatClients> {
  const { page } = participant
  await page.addScriptTag({ type: 'module', url: '/page/chat.ts' })
  await page.waitForFunction(() => 'chat' in window)
  const ask = <T>(operation: keyof ChatPage, ...args: unknown[]) =>
    page.evaluate(
      ([name, list]) => {
        const { chat } = window as unknown as { chat: Record<string, (...rest: unknown[]) => unknown> }
        return chat[name]?.(...list)
      },
      [operation as string, args] as const,
    ) as Promise<T>
  return {
    participant,
    open: (name, token, kind = 'Chat') => ask('open', name, kind, token),
    call: (name, method, parameters) => ask('call', name, method, parameters),
    heard: (name) => ask('heard', name),
    messagesTo: async (name) =>
      (await ask<HeardInChat[]>('heard', name)).filter(({ event }) => event === 'message'),
  }
}

/**
 * Opens the chat of the participant's conference. The client gets the given name.
 * @returns the channel of the conference
 */
export async function enterConferenceChat(clients: ChatClients, name: string): Promise<string> {
  const request = { method: 'video.get_chat_token', params: {} }
  const given = await clients.participant.call<{ token: string; channel: string }>('execute', request)
  await clients.open(name, given.token)
  await clients.call(name, 'subscribe', given.channel)
  return given.channel
}
