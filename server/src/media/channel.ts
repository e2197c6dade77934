import type { PortRange } from '../config.ts'
import type {
  LegOptions,
  LegState,
  MemberMedia,
  RecordingResult,
  RoomMediaOptions,
  StreamLossCause,
  StreamOptions,
  Tile,
} from './media-plane.ts'

/**
 * The narrow door between the control plane and a media worker process: JSON messages over the IPC channel of
 * `child_process.fork`. No media passes here; packets go between browser and worker, recordings from worker to disk.
 */

/** What a worker is told at birth, as JSON in the environment variable {@link WORKER_SETTINGS_VARIABLE}. */
export interface WorkerSettings {
  /** UDP ports of this worker, both ends included. */
  portRange: PortRange
  /** Address told to browsers instead of the machine's own, where it is behind one-to-one NAT. */
  announcedIp: string | null
  logLevel: string
}

export const WORKER_SETTINGS_VARIABLE = 'PARLEY_WORKER_SETTINGS'

interface InRoom {
  sessionId: string
}

/** Every request a worker answers: its parameters and its result. */
export interface WorkerMethods {
  createRoom: { params: RoomMediaOptions; result: null }
  closeRoom: { params: InRoom; result: RecordingResult[] }
  connectLeg: { params: InRoom & LegOptions; result: { answer: string } }
  closeLeg: { params: InRoom & { legId: string }; result: null }
  setMember: { params: InRoom & MemberMedia; result: null }
  removeMember: { params: InRoom & { memberId: string }; result: null }
  setTiles: { params: InRoom & { tiles: Tile[] }; result: null }
  playTone: { params: InRoom & { tone: 'entry' | 'exit' }; result: null }
  startRecording: { params: InRoom & { recordingId: string; file: string }; result: { startedAt: number } }
  pauseRecording: { params: InRoom & { recordingId: string }; result: null }
  resumeRecording: { params: InRoom & { recordingId: string }; result: null }
  stopRecording: { params: InRoom & { recordingId: string }; result: RecordingResult }
  startStream: { params: InRoom & StreamOptions; result: { startedAt: number } }
  stopStream: { params: InRoom & { streamId: string }; result: null }
  repairRecording: { params: { file: string }; result: { durationMs: number; sizeInBytes: number } | null }
}

export type WorkerMethod = keyof WorkerMethods

/** What a worker says unasked. */
export interface WorkerEvents {
  /** Native parts are loaded; requests may come. */
  ready: { pid: number }
  /** Whether the worker has the UDP port that its connections share. Told before `ready`, and once it gets one later. */
  port: { isOurs: boolean }
  /** Every {@link LOAD_REPORT_INTERVAL_MS}; also the worker's sign of life. */
  load: {
    /** CPU seconds per second since the last report, all threads. */
    cpu: number
    /** Longest wait of the event loop since the last report. */
    eventLoopDelayMs: number
    rooms: number
    legs: number
  }
  leg: InRoom & { legId: string; state: LegState }
  talking: InRoom & { memberId: string; talking: boolean }
  videoWanted: InRoom & { legId: string; width: number; height: number; frameRate: number }
  streamLost: InRoom & { streamId: string; cause: StreamLossCause }
  /** The worker closed a room that threw again and again; it has finished its recordings. */
  roomLost: InRoom & { reason: string }
  recordingFailed: InRoom & { recordingId: string; reason: string; result: RecordingResult | null }
}

export type WorkerEventName = keyof WorkerEvents

export const LOAD_REPORT_INTERVAL_MS = 1000

/** Control plane to worker. `id` counts up per worker. */
export type WorkerRequest = {
  [M in WorkerMethod]: { id: number; method: M; params: WorkerMethods[M]['params'] }
}[WorkerMethod]

/** Worker to control plane: the answer to a request, or an event. */
export type WorkerMessage =
  | { id: number; result: unknown }
  | { id: number; error: string }
  | { [E in WorkerEventName]: { event: E; params: WorkerEvents[E] } }[WorkerEventName]
