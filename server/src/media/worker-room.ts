import { EventEmitter } from 'node:events'
import type { WorkerMethod, WorkerMethods } from './channel.ts'
import type {
  LegOptions,
  MediaRoom,
  MediaRoomEvents,
  MemberMedia,
  RecordingResult,
  RoomMediaOptions,
  StreamOptions,
  Tile,
} from './media-plane.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Closing a room finishes its recordings, which may take the disk a while. */
const CLOSE_TIMEOUT_MS = 20_000
/** Longer than the worker itself waits for the server that is to take a stream. */
const START_STREAM_TIMEOUT_MS = 15_000

/** Requests of one room without its session id, which every call adds. */
type RoomParams<M extends WorkerMethod> = Omit<WorkerMethods[M]['params'], 'sessionId'>

/** The media of one room session, carried by a worker process. */
export class WorkerRoom extends EventEmitter<MediaRoomEvents> implements MediaRoom {
  readonly sessionId: string
  readonly worker: WorkerProcess
  readonly #onClosed: () => void
  #closing: Promise<RecordingResult[]> | null = null

  private constructor(worker: WorkerProcess, sessionId: string, onClosed: () => void) {
    super()
    this.worker = worker
    this.sessionId = sessionId
    this.#onClosed = onClosed
  }

  /** Opens the room in the worker. `onClosed` is called once it is closed. */
  static async open(
    worker: WorkerProcess,
    options: RoomMediaOptions,
    onClosed: () => void,
  ): Promise<WorkerRoom> {
    const room = new WorkerRoom(worker, options.sessionId, onClosed)
    await worker.call('createRoom', options)
    return room
  }

  connectLeg(options: LegOptions): Promise<{ answer: string }> {
    return this.#call('connectLeg', options)
  }

  async closeLeg(legId: string): Promise<void> {
    await this.#call('closeLeg', { legId })
  }

  async setMember(member: MemberMedia): Promise<void> {
    await this.#call('setMember', member)
  }

  async removeMember(memberId: string): Promise<void> {
    await this.#call('removeMember', { memberId })
  }

  async setTiles(tiles: Tile[]): Promise<void> {
    await this.#call('setTiles', { tiles })
  }

  async playTone(tone: 'entry' | 'exit'): Promise<void> {
    await this.#call('playTone', { tone })
  }

  startRecording(recordingId: string, file: string): Promise<{ startedAt: number }> {
    return this.#call('startRecording', { recordingId, file })
  }

  async pauseRecording(recordingId: string): Promise<void> {
    await this.#call('pauseRecording', { recordingId })
  }

  async resumeRecording(recordingId: string): Promise<void> {
    await this.#call('resumeRecording', { recordingId })
  }

  stopRecording(recordingId: string): Promise<RecordingResult> {
    return this.#call('stopRecording', { recordingId })
  }

  startStream(options: StreamOptions): Promise<{ startedAt: number }> {
    const params = { sessionId: this.sessionId, ...options }
    return this.worker.call('startStream', params, START_STREAM_TIMEOUT_MS)
  }

  async stopStream(streamId: string): Promise<void> {
    await this.#call('stopStream', { streamId })
  }

  close(): Promise<RecordingResult[]> {
    this.#closing ??= this.worker
      .call('closeRoom', { sessionId: this.sessionId }, CLOSE_TIMEOUT_MS)
      .finally(() => this.#onClosed())
    return this.#closing
  }

  #call<M extends WorkerMethod>(method: M, params: RoomParams<M>): Promise<WorkerMethods[M]['result']> {
    return this.worker.call(method, { sessionId: this.sessionId, ...params } as WorkerMethods[M]['params'])
  }
}
