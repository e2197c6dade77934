/**
 * Unmodified chat clients, each with a name that the test chooses. Tests that need them load this into the
 * participants' page.
 */
import type { Chat, PubSub } from '@signalwire/js'

/** An event that a client received. */
export interface HeardInChat {
  event: string
  channel: string
  /** Content of a message. */
  content?: unknown
  /** The author of a message, or the member who joined, changed or left. */
  member?: string
  /** Unix milliseconds. */
  publishedAtMs?: number
}

/** Functions of the page that the test may call. */
export interface ChatPage {
  open(name: string, kind: 'Chat' | 'PubSub', token: string): void
  /** Calls a method of the client. A rejection becomes `{ rejected }`. */
  call(name: string, method: string, parameters?: unknown): Promise<unknown>
  heard(name: string): HeardInChat[]
  close(name: string): void
}

type ChatWindow = Window & {
  SignalWire: { Chat: typeof Chat; PubSub: typeof PubSub }
  chat: ChatPage
}
type Listener = (happening: {
  id?: string
  channel: string
  content?: unknown
  member?: { id: string }
  publishedAt?: Date
}) => void
interface AnyClient {
  on(event: string, listener: Listener): void
  disconnect(): void
}

const page = window as unknown as ChatWindow
const clients = new Map<string, { client: AnyClient; heard: HeardInChat[] }>()

function named(name: string) {
  const found = clients.get(name)
  if (!found) throw new Error(`there is no client ${name}`)
  return found
}

page.chat = {
  open(name, kind, token) {
    const client = new page.SignalWire[kind].Client({ token }) as unknown as AnyClient
    const heard: HeardInChat[] = []
    clients.set(name, { client, heard })
    const events = ['message', ...(kind === 'Chat' ? ['member.joined', 'member.updated', 'member.left'] : [])]
    for (const event of events) {
      client.on(event, ({ id, channel, content, member, publishedAt }) => {
        const who = member?.id ?? (event === 'message' ? undefined : id)
        heard.push({
          event,
          channel,
          ...(content !== undefined && { content }),
          ...(who !== undefined && { member: who }),
          ...(publishedAt && { publishedAtMs: publishedAt.getTime() }),
        })
      })
    }
  },
  async call(name, method, parameters) {
    const { client } = named(name)
    const operations = client as unknown as Record<string, (parameters?: unknown) => Promise<unknown>>
    try {
      const answer = await operations[method]?.(parameters)
      return JSON.parse(JSON.stringify(answer ?? null))
    } catch (reason) {
      return { rejected: JSON.parse(JSON.stringify(reason ?? null)) }
    }
  },
  heard: (name) => named(name).heard,
  close: (name) => named(name).client.disconnect(),
}
