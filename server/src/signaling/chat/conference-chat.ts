import { type ChatGrant, conferenceChannel, mintChatToken } from '../../chat/chat-token.ts'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import type { Connection } from '../connection.ts'
import type { RpcRequest } from '../json-rpc.ts'
import type { SignalingSession } from '../signaling-session.ts'

/** As long as any conference may last. A member who leaves loses access to the chat at once. */
const LIFETIME_MS = 24 * 60 * 60 * 1000

/** The method by which a member of a conference asks for a token for the conference's chat. */
export const CONFERENCE_CHAT_METHOD = 'video.get_chat_token'

/**
 * Answers with a `token` for a chat client, and its `channel`.
 * @throws Refusal when the client is not in a conference with chat
 */
export async function giveConferenceChatToken(
  client: SignalingSession,
  connection: Connection,
  { id }: RpcRequest,
  options: { tokenKey: Uint8Array; clock: Clock; host: string },
): Promise<void> {
  const grant = conferenceGrant(client, options.clock.now())
  const token = await mintChatToken(grant, options.tokenKey, options.host)
  connection.reply(id, { code: '200', message: 'OK', token, channel: [...grant.channels.keys()][0] })
}

function conferenceGrant(client: SignalingSession, now: number): ChatGrant {
  const { mainCall: call } = client
  if (!call) throw new Refusal('provided_id_is_unrecognized', 'You are not in a session. Join first.')
  const { session, member } = call
  if (!session.room.conference?.enable_chat) throw new Refusal('room_is_not_chat_enabled')
  return {
    id: newId(),
    project_id: session.projectId,
    kind: 'chat',
    member_id: member.id,
    channels: new Map([[conferenceChannel(session.id), { read: true, write: true }]]),
    state: { name: member.name },
    conference: { roomSessionId: session.id, roomName: session.name, memberName: member.name },
    issued_at: now,
    expires_at: now + LIFETIME_MS,
  }
}
