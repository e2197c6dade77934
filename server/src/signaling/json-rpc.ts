/**
 * JSON-RPC 2.0 as the browser client speaks it: one object per text frame, requests in both directions
 * (docs/protocol.md, section 1.3).
 */

/** Codes of JSON-RPC errors. The client handles none of them; -32002 is the code in the client's own examples. */
export const ErrorCode = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  authentication: -32002,
} as const

export type RequestId = string | number

export interface RpcRequest {
  id: RequestId
  method: string
  params: Record<string, unknown>
}

export type Frame =
  | { kind: 'request'; request: RpcRequest }
  /** The answer to a request of the server. */
  | { kind: 'response'; id: RequestId | null }
  /** A request without an id, which expects no answer. */
  | { kind: 'notification' }
  | { kind: 'invalid'; id: RequestId | null; code: number; message: string }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isId = (value: unknown): value is RequestId =>
  (typeof value === 'string' && value.length <= 200) || (typeof value === 'number' && Number.isFinite(value))

/** Limit for nesting: JSON of thousands of levels can be parsed, but not serialised again. */
const MOST_LEVELS = 64

function isWithinDepth(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((each) => isWithinDepth(each, levels - 1))
}

/** Reads one frame. Never throws. */
export function readFrame(text: string): Frame {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return { kind: 'invalid', id: null, code: ErrorCode.parse, message: 'The frame is not valid JSON.' }
  }
  const invalid = (explanation: string, id: RequestId | null = null): Frame => ({
    kind: 'invalid',
    id,
    code: ErrorCode.invalidRequest,
    message: explanation,
  })
  if (!isObject(message)) return invalid('A frame must hold one JSON-RPC object.')
  const { id, method, params = {} } = message
  if (method === undefined) return { kind: 'response', id: isId(id) ? id : null }
  if (typeof method !== 'string') return invalid('`method` must be a string.', isId(id) ? id : null)
  if (id === undefined) return { kind: 'notification' }
  if (!isId(id)) return invalid('`id` must be a string or a number.')
  if (!isObject(params)) return invalid('`params` must be an object.', id)
  if (!isWithinDepth(params, MOST_LEVELS))
    return invalid(`\`params\` has more than ${MOST_LEVELS} levels.`, id)
  return { kind: 'request', request: { id, method, params } }
}

/** The frame that answers a request. */
export function resultFrame(id: RequestId, result: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

/** The frame that refuses a request. @param id null when the request had no readable id */
export function errorFrame(id: RequestId | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

/** The frame of a request of the server, which the client answers. */
export function requestFrame(id: RequestId, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** Metadata of an event, besides its type and content. */
export interface EventEnvelope {
  /** `event_channel`. */
  channel: string
  /** Unix milliseconds. */
  at: number
  nodeId?: string
  projectId?: string
}

/** An event on its way to clients. */
export interface OutgoingEvent {
  /** Id of the request. The client acknowledges the event by answering to it. */
  readonly id: string
  /** Text, as bytes: all receivers of an event share them. */
  readonly frame: Buffer
}

/** An event of which the frame is complete (docs/protocol.md, section 4). */
export function outgoingEvent(type: string, params: object, envelope: EventEnvelope): OutgoingEvent {
  const id = crypto.randomUUID()
  return { id, frame: Buffer.from(eventFrame(id, type, params, envelope)) }
}

/** A `signalwire.event` request (docs/protocol.md, section 4). */
function eventFrame(id: string, type: string, params: object, envelope: EventEnvelope): string {
  return requestFrame(id, 'signalwire.event', {
    event_type: type,
    event_channel: envelope.channel,
    timestamp: envelope.at / 1000,
    ...(envelope.projectId !== undefined && { project_id: envelope.projectId }),
    ...(envelope.nodeId !== undefined && { node_id: envelope.nodeId }),
    params,
  })
}
