import type { ChatEvent, ChatMemberView, ChatMessageView } from '../../chat/chat-client.ts'
import { type OutgoingEvent, outgoingEvent } from '../json-rpc.ts'

/** A member as clients see it (docs/protocol.md, section 10). */
export const wireMember = ({ id, channel, state }: ChatMemberView) => ({ id, channel, state })

/** A message as clients see it. Times are Unix seconds. */
export const wireMessage = ({ id, channel, content, meta, publishedAt, member }: ChatMessageView) => ({
  id,
  channel,
  content,
  meta,
  published_at: publishedAt / 1000,
  member: wireMember(member),
})

/** Encoded events. All receivers get the same frame, so it is encoded once. */
const encoded = new WeakMap<ChatEvent, OutgoingEvent>()

/** @param at Unix milliseconds */
export function encodedChatEvent(event: ChatEvent, at: number): OutgoingEvent {
  const known = encoded.get(event)
  if (known) return known
  const { channel } = event
  const [type, content] =
    event.type === 'message'
      ? ['chat.channel.message', { message: wireMessage(event.message) }]
      : [`chat.${event.type}`, { member: wireMember(event.member) }]
  const outgoing = outgoingEvent(type, { channel, ...content }, { channel, at })
  encoded.set(event, outgoing)
  return outgoing
}
