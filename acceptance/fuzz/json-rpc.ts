import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { CALL_MESSAGES } from '../../server/src/signaling/calls.ts'
import { CHAT_METHODS } from '../../server/src/signaling/chat/chat-methods.ts'
import { ROOM_METHODS } from '../../server/src/signaling/room-methods/room-methods.ts'
import { sampleOffer } from '../../server/src/testing/relay/sample-offer.ts'
import type { Deployment } from '../testing/use-deployment.ts'
import { type FuzzPlan, fuzz } from './fuzzing.ts'
import { RoomClient } from './room-client.ts'
import { arbitraryOffer } from './sdp.ts'

/** Frames per socket: as many as may come at once before the server asks the client to slow down. */
const FRAMES_PER_SOCKET = 100
const SOCKETS_AT_ONCE = 4

/** Placeholders in frames for ids that are known only at the time of sending. */
const LIVE = { session: 'live:session', member: 'live:member', call: 'live:call' } as const

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  maxLength?: number
  minimum?: number
  maximum?: number
}

const nasty = fc.oneof(
  fc.jsonValue({ maxDepth: 5 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '',
    '__proto__',
    'constructor',
    '\u0000',
    '\ud800',
    'x'.repeat(5000),
    -1,
    1e308,
    null,
    [],
    {},
  ),
  fc.constant(JSON.parse('['.repeat(200) + ']'.repeat(200)) as unknown),
)

/** Parameters as a whole. They are usually an object, because anything else soon ends the socket. */
const paramsFor = (schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 60, arbitrary: fitting(schema, '') }, { weight: 1, arbitrary: nasty })

/** A value that usually fits a schema. */
function valueFor(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary: fitting(schema, name) }, { weight: 1, arbitrary: nasty })
}

function fitting(
  { type, properties, items, anyOf, minimum, maximum }: Schema,
  name: string,
): fc.Arbitrary<unknown> {
  if (type === undefined && !anyOf) return fc.oneof(nasty, fc.dictionary(fc.string(), nasty))
  if (name === 'member_id') return fc.constantFrom(LIVE.member, LIVE.member, LIVE.session, 'all')
  if (name === 'callID') return fc.constantFrom(LIVE.call, LIVE.call, 'another')
  if (name === 'sdp')
    return fc.oneof(
      arbitraryOffer,
      fc.constant(undefined).map(() => sampleOffer()),
    )
  if (name === 'action') return fc.constantFrom('hold', 'unhold', 'updateMedia', 'transfer')
  if (anyOf) return fc.oneof(...anyOf.map((each) => fitting(each, name)))
  if (type === 'object') return objectOf(properties ?? {})
  if (type === 'array') return fc.array(valueFor(items ?? {}), { maxLength: 5 })
  if (type === 'number' || type === 'integer')
    return fc.integer({ min: minimum ?? -1000, max: maximum ?? 1000 })
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'string')
    return fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom('a', 'b', 'rtmp://127.0.0.1/x/y'))
  return nasty
}

function objectOf(properties: Record<string, Schema>): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => [name, valueFor(schema, name)] as const)
  return fc.oneof(
    { weight: 5, arbitrary: fc.record(Object.fromEntries(fields)) },
    { weight: 1, arbitrary: fc.record(Object.fromEntries(fields), { requiredKeys: [] }) },
  )
}

const inSession = (params: fc.Arbitrary<unknown>) =>
  fc
    .tuple(params, fc.constantFrom(LIVE.session, LIVE.session, LIVE.session, 'another'))
    .map(([given, room_session_id]) =>
      typeof given === 'object' && given !== null && !Array.isArray(given)
        ? { room_session_id, ...given }
        : given,
    )

const methodOf = (name: string, params: fc.Arbitrary<unknown>) =>
  params.map((each) => ({ method: name as unknown, params: each }))

const roomMethods = [...ROOM_METHODS].map(([name, { schema }]) =>
  methodOf(name, inSession(paramsFor(schema as Schema))),
)
const chatMethods = [...CHAT_METHODS].map(([name, { schema }]) => methodOf(name, paramsFor(schema as Schema)))
/** Hang-ups are rare: after one, nothing else reaches the call. */
const callMessages = Object.entries(CALL_MESSAGES).map(([method, schema]) => ({
  weight: method === 'verto.bye' ? 1 : 8,
  arbitrary: methodOf(
    'video.message',
    valueFor(schema as Schema).map((params) => ({ message: { jsonrpc: '2.0', id: '1', method, params } })),
  ),
}))

const request = fc.oneof(
  { weight: 10, arbitrary: fc.oneof(...roomMethods) },
  { weight: 3, arbitrary: fc.oneof(...callMessages) },
  { weight: 2, arbitrary: fc.oneof(...chatMethods) },
  {
    weight: 1,
    arbitrary: methodOf(
      'signalwire.ping',
      paramsFor({ type: 'object', properties: { timestamp: { type: 'number' } } }),
    ),
  },
  {
    weight: 1,
    arbitrary: methodOf(
      'signalwire.connect',
      paramsFor({ type: 'object', properties: { authentication: {} } }),
    ),
  },
  {
    weight: 1,
    arbitrary: methodOf(
      'signalwire.reauthenticate',
      paramsFor({ type: 'object', properties: { authentication: {} } }),
    ),
  },
  {
    weight: 1,
    arbitrary: methodOf('video.message', paramsFor({ type: 'object', properties: { message: {} } })),
  },
  { weight: 1, arbitrary: fc.record({ method: fc.string(), params: paramsFor({}) }) },
)

/**
 * A frame: usually a request, sometimes a text that is no request. Those are rare, because ten of them end a socket.
 */
const frame = fc.oneof(
  { weight: 40, arbitrary: request },
  { weight: 1, arbitrary: fc.oneof(fc.json(), fc.string({ maxLength: 200 })).map((raw) => ({ raw })) },
)

type Role = 'member' | 'audience' | 'nobody'
const ROLES: readonly Role[] = ['member', 'member', 'audience', 'nobody']

/**
 * Sends frames over real sockets of a member in a call, of somebody in the audience, and of strangers. Each request
 * must be answered.
 */
export async function fuzzJsonRpc(plan: FuzzPlan, deployment: Deployment): Promise<void> {
  const socket = fc.record({
    role: fc.constantFrom(...ROLES),
    frames: fc.array(frame, { minLength: FRAMES_PER_SOCKET, maxLength: FRAMES_PER_SOCKET }),
  })
  const perSocket = { ...plan, inputs: Math.ceil(plan.inputs / FRAMES_PER_SOCKET) }
  await fuzz(perSocket, socket, SOCKETS_AT_ONCE, async (sockets) => {
    // If the server closes a member's socket, that member keeps its seat for a while. So each group has its own room.
    const room_name = deployment.roomName()
    const tokenFor = (join_as: Exclude<Role, 'nobody'>) =>
      deployment.rest.createRoomToken({
        room_name,
        join_as,
        permissions: join_as === 'member' ? permissions : [],
      })
    const tokens = { member: await tokenFor('member'), audience: await tokenFor('audience') }
    const outcomes = await Promise.allSettled(
      sockets.map(async ({ role, frames }) => {
        const client = await RoomClient.open(deployment.access)
        const callId = randomUUID()
        try {
          if (role !== 'nobody') await enter(client, tokens[role], callId)
          await sendAll(plan, client, frames, callId)
          if (role !== 'nobody') await client.verto('verto.bye', { dialogParams: { callID: callId } })
        } finally {
          await client.close()
        }
      }),
    )
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  })
  plan.tally.inputs *= FRAMES_PER_SOCKET
}

/** All permissions except recordings and streams, which are expensive by design. */
const permissions = [
  'room.self.audio_mute',
  'room.self.video_mute',
  'room.self.deaf',
  'room.self.set_input_volume',
  'room.self.set_input_sensitivity',
  'room.self.screenshare',
  'room.self.additional_source',
  'room.member.audio_mute',
  'room.member.video_mute',
  'room.list_available_layouts',
]

async function enter(client: RoomClient, token: string, callID: string): Promise<void> {
  const connected = await client.connect(token)
  expect(connected, 'connects').toMatchObject({ result: { protocol: expect.any(String) } })
  const result = await client.join(callID, sampleOffer())
  expect(result, 'joins').toMatchObject({ code: '200' })
}

async function sendAll(
  { tally }: FuzzPlan,
  client: RoomClient,
  frames: readonly ({ raw: string } | { method: unknown; params: unknown })[],
  callId: string,
): Promise<void> {
  const { sessionId, memberId } = client.call
  const fill = (text: string) =>
    text.replaceAll(LIVE.session, sessionId).replaceAll(LIVE.member, memberId).replaceAll(LIVE.call, callId)
  const answers = frames.map(async (each, index) => {
    if ('raw' in each) {
      client.sendRaw(each.raw)
      return
    }
    const id = `f${index}`
    const text = fill(JSON.stringify({ jsonrpc: '2.0', id, ...each }))
    // A frame without a method is an answer to the server. The server refuses some of these without an id.
    const answered = each.method === undefined ? null : client.expect(id)
    client.sendRaw(text)
    const { frame: answer, tookMs } = (await answered) ?? { frame: null, tookMs: 0 }
    const { result, error } = (answer ?? {}) as { result?: { code?: string }; error?: { code: number } }
    tally.note(String(result?.code ?? (result ? 'result' : (error?.code ?? 'closed'))), tookMs)
    expect(error?.code, `${text.slice(0, 1000)} -> ${JSON.stringify(answer)}`).not.toBe(-32_603)
  })
  await Promise.all(answers)
}
