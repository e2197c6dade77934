import type { PortRange, RtcTransport } from '../config/media-options.ts'
import type { OverloadStep } from '../resources/overload-steps.ts'
import type {
  RoomEvent,
  RoomEvents,
  RoomMethod,
  RoomMethods,
  WorkerEvent,
  WorkerEvents,
  WorkerMethod,
  WorkerMethods,
} from './channel.ts'

/** The JSON messages that carry the contract of `channel.ts` over the IPC channel of `child_process.fork`. */

/** What a worker gets at its start, as JSON in the environment variable {@link WORKER_SETTINGS_VARIABLE}. */
export interface WorkerSettings {
  /** UDP ports of this worker, both ends included. */
  portRange: PortRange
  /** Address told to browsers instead of the machine's own, where it is behind one-to-one NAT. */
  announcedIp: string | null
  /** What is to carry the connections, where this system allows it. */
  transport: RtcTransport
  logLevel: string
  /** The last step that it may take while the machine has too much to do. */
  overloadStep: OverloadStep
}

export const WORKER_SETTINGS_VARIABLE = 'PARLEY_WORKER_SETTINGS'

/** Server to worker: a request to one room. */
export type RoomRequest = {
  [M in RoomMethod]: { id: number; sessionId: string; method: M; args: Parameters<RoomMethods[M]> }
}[RoomMethod]

/** Server to worker: a request to the process. `id` counts up per worker, over both kinds of requests. */
export type ProcessRequest = {
  [M in WorkerMethod]: { id: number; method: M; args: Parameters<WorkerMethods[M]> }
}[WorkerMethod]

export type WorkerRequest = (RoomRequest | ProcessRequest) & {
  /** The span of the server that waits for the answer (W3C Trace Context); absent without tracing. */
  traceparent?: string
}

/** Worker to server: the answer to a request. A result that is undefined is left out by JSON. */
export type WorkerAnswer = { id: number; result?: unknown } | { id: number; error: string }

/** Worker to server: something happened in a room. */
export type RoomNotice = {
  [E in RoomEvent]: { sessionId: string; event: E; params: RoomEvents[E] }
}[RoomEvent]

/** Worker to server: something happened to the process. */
export type ProcessNotice = { [E in WorkerEvent]: { event: E; params: WorkerEvents[E] } }[WorkerEvent]

export type WorkerMessage = WorkerAnswer | RoomNotice | ProcessNotice
