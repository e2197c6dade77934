import { missingPermission, requiredPermission } from '../../rooms/permissions.ts'
import { SessionRefusal } from '../../rooms/sessions/refusal.ts'
import type { Connection } from '../connection.ts'
import { ErrorCode, type RpcRequest } from '../json-rpc.ts'
import { CODE_OF_REFUSAL } from '../refusal-codes.ts'
import type { SignalingSession } from '../signaling-session.ts'
import { memberMethods } from './member-methods.ts'
import { recordingMethods } from './recording-methods.ts'
import { memberOf, type RoomCall, type RoomMethod } from './room-method.ts'
import { sessionMethods } from './session-methods.ts'
import { streamMethods } from './stream-methods.ts'

/** Every supported room method. */
export const ROOM_METHODS: ReadonlyMap<string, RoomMethod> = new Map(
  Object.entries({ ...memberMethods, ...recordingMethods, ...sessionMethods, ...streamMethods }),
)

/** Runs a room method after it checked parameters, session and permission. Always answers. */
export async function callRoomMethod(
  client: SignalingSession,
  connection: Connection,
  request: RpcRequest,
): Promise<void> {
  const { id, params } = request
  const method = ROOM_METHODS.get(request.method)
  if (!method) {
    connection.replyError(id, ErrorCode.methodNotFound, `Method not found: ${request.method.slice(0, 100)}`)
    return
  }
  let answered = false
  const reply = (fields: object = {}) => {
    answered = true
    connection.reply(id, { code: '200', message: 'OK', ...fields })
  }
  try {
    const call = prepare(client, request, method)
    await method.handle({ ...call, params: params as never, reply })
    if (!answered) reply()
  } catch (error) {
    if (answered || !(error instanceof SessionRefusal)) throw error
    connection.reply(id, { code: CODE_OF_REFUSAL[error.reason], message: error.message })
  }
}

/** @throws SessionRefusal when the method must not be called */
function prepare(
  client: SignalingSession,
  { method: name, params }: RpcRequest,
  method: RoomMethod,
): Pick<RoomCall<never>, 'session' | 'actor' | 'target'> {
  const complaint = method.complaint(params)
  if (complaint) throw new SessionRefusal('invalid', complaint)
  const mainCall = client.mainCall
  if (!mainCall || params.room_session_id !== mainCall.session.id) {
    client.endLostCall()
    throw new SessionRefusal('not_found', 'You are not in the room session that room_session_id names.')
  }
  const { session, member: actor } = mainCall
  const named = typeof params.member_id === 'string' ? session.member(params.member_id) : undefined
  const requirement = requiredPermission(name, { self: named?.isOwnedBy(actor) ?? false })
  const missing = requirement && missingPermission(actor.terms.permissions, requirement)
  if (!requirement || missing) throw new SessionRefusal('forbidden', `Permission denied: ${missing ?? name}`)
  return { session, actor, target: () => memberOf(session, params.member_id) }
}
