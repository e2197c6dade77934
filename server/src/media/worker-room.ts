import { EventEmitter } from 'node:events'
import {
  type RecordingResult,
  type Remote,
  ROOM_METHODS,
  type RoomMediaOptions,
  type RoomMethod,
  type RoomMethods,
} from './channel.ts'
import type { MediaRoom, MediaRoomEvents } from './media-plane.ts'
import type { WorkerProcess } from './worker-process.ts'

/** A media room that a worker process carries. */
export interface WorkerRoom extends MediaRoom {
  readonly worker: WorkerProcess
}

/** Opens a room in the worker. `onClosed` is called once it is closed. */
export async function openWorkerRoom(
  worker: WorkerProcess,
  options: RoomMediaOptions,
  onClosed: () => void,
): Promise<WorkerRoom> {
  const handle = new RoomHandle(worker, options.sessionId, onClosed)
  const room = Object.assign(handle, remoteMethods(worker, options.sessionId))
  await worker.call('createRoom', options)
  return room
}

/** Members of a room besides {@link RoomMethods}. */
class RoomHandle extends EventEmitter<MediaRoomEvents> {
  readonly worker: WorkerProcess
  readonly sessionId: string
  readonly #onClosed: () => void
  #closing: Promise<RecordingResult[]> | null = null

  constructor(worker: WorkerProcess, sessionId: string, onClosed: () => void) {
    super()
    this.worker = worker
    this.sessionId = sessionId
    this.#onClosed = onClosed
  }

  close(): Promise<RecordingResult[]> {
    this.#closing ??= this.worker.call('closeRoom', this.sessionId).finally(() => this.#onClosed())
    return this.#closing
  }
}

/** One function for each method of a room; calling it sends a request to the worker. */
function remoteMethods(worker: WorkerProcess, sessionId: string): Remote<RoomMethods> {
  const methods = Object.keys(ROOM_METHODS) as RoomMethod[]
  return Object.fromEntries(
    methods.map((method) => [
      method,
      (...args: Parameters<RoomMethods[RoomMethod]>) => worker.callRoom(sessionId, method, args),
    ]),
  ) as Remote<RoomMethods>
}
