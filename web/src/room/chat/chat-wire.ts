import type { ReceivedMessage } from './chat-machine.ts'

/** A message as the server sends it (docs/protocol.md, section 10). */
export interface WireMessage {
  id: string
  content: unknown
  meta?: { key?: unknown }
  /** Unix seconds. */
  published_at: number
  member: { id: string; state?: { name?: unknown } }
}

/** Reads a message. Programs may write more than text; that is shown as JSON. */
export function readMessage({ id, content, meta, published_at, member }: WireMessage): ReceivedMessage {
  const name = member.state?.name
  return {
    id,
    memberId: member.id,
    name: typeof name === 'string' ? name : '',
    text: typeof content === 'string' ? content : JSON.stringify(content),
    atMs: published_at * 1000,
    key: typeof meta?.key === 'string' ? meta.key : null,
  }
}
