import { Refusal } from '../../errors/refusal.ts'
import { isPermitted, missingPermission, requiredPermission } from '../../rooms/permissions.ts'
import type { LiveSession } from '../../rooms/sessions/live-session.ts'
import type { Member } from '../../rooms/sessions/member.ts'
import type { Connection } from '../connection.ts'
import { ErrorCode, type RpcRequest } from '../json-rpc.ts'
import type { SignalingSession } from '../signaling-session.ts'
import { layoutMethods } from './layout-methods.ts'
import { memberMethods } from './member-methods.ts'
import { metaMethods } from './meta-methods.ts'
import { playbackMethods } from './playback-methods.ts'
import { recordingMethods } from './recording-methods.ts'
import { roleMethods } from './role-methods.ts'
import { memberOf, type RoomCall, type RoomMethod } from './room-method.ts'
import { sessionMethods } from './session-methods.ts'
import { streamMethods } from './stream-methods.ts'

/** Every supported room method. */
export const ROOM_METHODS: ReadonlyMap<string, RoomMethod> = new Map(
  Object.entries({
    ...layoutMethods,
    ...memberMethods,
    ...metaMethods,
    ...playbackMethods,
    ...recordingMethods,
    ...roleMethods,
    ...sessionMethods,
    ...streamMethods,
  }),
)

/** Takes the answer to a request. */
export type Answerer = Pick<Connection, 'reply' | 'replyError'>

/**
 * Runs a room method after it checked permission, session and parameters. Answers, or throws.
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
  connection: Answerer,
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
  connection: Answerer,
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

/**
 * Judges the permission before anything else of the request, so that a member without it learns nothing from the
 * answer, and gets the same one whatever else is wrong.
 * @throws Refusal when the method must not be called
 */
function prepare(
  client: SignalingSession,
  { method: name, params }: RpcRequest,
  method: RoomMethod,
): Pick<RoomCall<never>, 'session' | 'actor' | 'target'> {
  const call = client.mainCall
  if (!call) throw notInSession(client)
  const { session, member: actor } = call
  checkPermitted(session, actor, name, params)
  if (params.room_session_id !== session.id) throw notInSession(client)
  const complaint = method.complaint(params)
  if (complaint) throw new Refusal('invalid_parameter', complaint)
  return { session, actor, target: () => memberOf(session, params.member_id) }
}

function notInSession(client: SignalingSession): Refusal {
  client.endLostCall()
  return new Refusal(
    'provided_id_is_unrecognized',
    'You are not in the room session that room_session_id names.',
  )
}

/**
 * Without a `member_id` that can be read, the target is unknown. The permission for oneself is then enough to get on
 * to the check of the parameters.
 * @throws Refusal `not_permitted`
 */
function checkPermitted(
  session: LiveSession,
  actor: Member,
  name: string,
  params: RpcRequest['params'],
): void {
  const withPositions = params.positions !== undefined && params.positions !== null
  const mayCall = (self: boolean) => isPermitted(actor.terms.permissions, name, { self, withPositions })
  const { member_id } = params
  const isNamed = typeof member_id === 'string'
  const self = isNamed && (session.member(member_id)?.isOwnedBy(actor) ?? false)
  if (mayCall(self) || (!isNamed && mayCall(true))) return
  const requirement = requiredPermission(name, { self, withPositions })
  const missing = requirement && missingPermission(actor.terms.permissions, requirement)
  throw new Refusal('not_permitted', `Permission denied: ${missing ?? name}`)
}
