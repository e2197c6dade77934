import { type ChatGrant, conferenceChannel, mintChatToken } from '../../chat/chat-token.ts'
import type { Clock } from '../../clock.ts'
import { newId } from '../../ids.ts'
import { SessionRefusal } from '../../rooms/sessions/refusal.ts'
import type { Connection } from '../connection.ts'
import type { RpcRequest } from '../json-rpc.ts'
import { CODE_OF_REFUSAL } from '../refusal-codes.ts'
import type { SignalingSession } from '../signaling-session.ts'

/** As long as any conference may last. A member who leaves loses access to the chat at once. */
const LIFETIME_MS = 24 * 60 * 60 * 1000

/** The method by which a member of a conference asks for a token for the conference's chat. */
export const CONFERENCE_CHAT_METHOD = 'video.get_chat_token'

/** Answers with a `token` for a chat client, and its `channel`. Always answers. */
export async function giveConferenceChatToken(
  client: SignalingSession,
  connection: Connection,
  { id }: RpcRequest,
  options: { tokenKey: Uint8Array; clock: Clock; host: string },
): Promise<void> {
  try {
    const grant = conferenceGrant(client, options.clock.now())
    const token = await mintChatToken(grant, options.tokenKey, options.host)
    connection.reply(id, { code: '200', message: 'OK', token, channel: [...grant.channels.keys()][0] })
  } catch (error) {
    if (!(error instanceof SessionRefusal)) throw error
    connection.reply(id, { code: CODE_OF_REFUSAL[error.reason], message: error.message })
  }
}

/** @throws SessionRefusal */
function conferenceGrant(client: SignalingSession, now: number): ChatGrant {
  const { mainCall: call } = client
  if (!call) throw new SessionRefusal('not_found', 'You are not in a session. Join first.')
  const { session, member } = call
  if (!session.room.conference?.enable_chat) {
    throw new SessionRefusal('forbidden', 'Chat is switched off in this room.')
  }
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
