import { Refusal } from '../../errors/refusal.ts'
import { missingPermission, requiredPermission } from '../../rooms/permissions.ts'
import type { LiveSession } from '../../rooms/sessions/live-session.ts'
import type { Connection } from '../connection.ts'
import { ErrorCode, type RpcRequest } from '../json-rpc.ts'
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

/**
 * Runs a room method after it checked parameters, session and permission. Answers, or throws.
 * @throws Refusal
 */
export async function callRoomMethod(
  client: SignalingSession,
  connection: Connection,
  request: RpcRequest,
): Promise<void> {
  await answered(connection, request, (method) => prepare(client, request, method))
}

/**
 * Runs a room method for the project itself, which may call every one. Answers, or throws.
 * @param find finds the session that the request names, once its parameters are checked
 * @throws Refusal
 */
export async function callAsProject(
  connection: Connection,
  request: RpcRequest,
  find: () => LiveSession,
): Promise<void> {
  const { params } = request
  await answered(connection, request, (method) => {
    const complaint = method.complaint(params)
    if (complaint) throw new Refusal('invalid_parameter', complaint)
    const session = find()
    return { session, actor: null, target: () => memberOf(session, params.member_id) }
  })
}

/** Runs a method after `prepare` allowed it. Answers, or throws. */
async function answered(
  connection: Connection,
  request: RpcRequest,
  prepare: (method: RoomMethod) => Pick<RoomCall<never>, 'session' | 'actor' | 'target'>,
): Promise<void> {
  const { id, params } = request
  const method = ROOM_METHODS.get(request.method)
  if (!method) {
    connection.replyError(id, ErrorCode.methodNotFound, `Method not found: ${request.method.slice(0, 100)}`)
    return
  }
  let hasAnswered = false
  const reply = (fields: object = {}) => {
    hasAnswered = true
    connection.reply(id, { code: '200', message: 'OK', ...fields })
  }
  try {
    const call = prepare(method)
    await method.handle({ ...call, params: params as never, reply })
    if (!hasAnswered) reply()
  } catch (error) {
    // The caller has its answer already, so this is a fault of the method.
    throw hasAnswered ? new Error(`${request.method} failed after its answer`, { cause: error }) : error
  }
}

/** @throws Refusal when the method must not be called */
function prepare(
  client: SignalingSession,
  { method: name, params }: RpcRequest,
  method: RoomMethod,
): Pick<RoomCall<never>, 'session' | 'actor' | 'target'> {
  const complaint = method.complaint(params)
  if (complaint) throw new Refusal('invalid_parameter', complaint)
  const mainCall = client.mainCall
  if (!mainCall || params.room_session_id !== mainCall.session.id) {
    client.endLostCall()
    throw new Refusal(
      'provided_id_is_unrecognized',
      'You are not in the room session that room_session_id names.',
    )
  }
  const { session, member: actor } = mainCall
  const named = typeof params.member_id === 'string' ? session.member(params.member_id) : undefined
  const requirement = requiredPermission(name, { self: named?.isOwnedBy(actor) ?? false })
  const missing = requirement && missingPermission(actor.terms.permissions, requirement)
  if (!requirement || missing) throw new Refusal('not_permitted', `Permission denied: ${missing ?? name}`)
  return { session, actor, target: () => memberOf(session, params.member_id) }
}
