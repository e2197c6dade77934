import type { ChatEvent, ChatMemberView, ChatMessageView } from '../../chat/chat-client.ts'
import { eventFrame } from '../json-rpc.ts'

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

/** Frames by event. All receivers get the same frame, so it is encoded once. */
const frames = new WeakMap<ChatEvent, Buffer>()

/** @param at Unix milliseconds */
export function chatEventFrame(event: ChatEvent, at: number): Buffer {
  const known = frames.get(event)
  if (known) return known
  const { channel } = event
  const [type, content] =
    event.type === 'message'
      ? ['chat.channel.message', { message: wireMessage(event.message) }]
      : [`chat.${event.type}`, { member: wireMember(event.member) }]
  const frame = Buffer.from(eventFrame(type, { channel, ...content }, { channel, at }))
  frames.set(event, frame)
  return frame
}
