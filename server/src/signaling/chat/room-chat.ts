import { type ChatGrant, conferenceChannel, mintChatToken } from '../../chat/chat-token.ts'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import type { Connection } from '../connection.ts'
import type { RpcRequest } from '../json-rpc.ts'
import type { SignalingSession } from '../signaling-session.ts'

/** As long as any session may last. A member who leaves loses access to the chat at once. */
const LIFETIME_MS = 24 * 60 * 60 * 1000

/** The method by which whoever is in a session asks for a token for its chat. */
export const CHAT_TOKEN_METHOD = 'video.get_chat_token'

/**
 * Answers with a `token` for a chat client, and its `channel`.
 * @throws Refusal when the client is not in a session with chat
 */
export async function giveChatToken(
  client: SignalingSession,
  connection: Connection,
  { id }: RpcRequest,
  options: { tokenKey: Uint8Array; clock: Clock; host: string; roomChat: boolean },
): Promise<void> {
  const grant = grantFor(client, options)
  const token = await mintChatToken(grant, options.tokenKey, options.host)
  connection.reply(id, { code: '200', message: 'OK', token, channel: [...grant.channels.keys()][0] })
}

function grantFor(
  client: SignalingSession,
  { clock, roomChat }: { clock: Clock; roomChat: boolean },
): ChatGrant {
  const now = clock.now()
  const { mainCall: call } = client
  if (!call) throw new Refusal('provided_id_is_unrecognized', 'You are not in a session. Join first.')
  const { session, member } = call
  const isOn = session.room.conference?.enable_chat ?? roomChat
  if (!isOn) throw new Refusal('room_is_not_chat_enabled')
  return {
    id: newId(),
    project_id: session.projectId,
    kind: 'chat',
    member_id: member.id,
    channels: new Map([[conferenceChannel(session.id), { read: true, write: true }]]),
    state: { name: member.name },
    seat: { roomSessionId: session.id, roomName: session.name, memberName: member.name },
    issued_at: now,
    expires_at: now + LIFETIME_MS,
  }
}
