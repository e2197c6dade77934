import type { Logger } from 'pino'
import type { SteadyClock } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import type { RecordingResult } from '../../media/channel.ts'
import type { MediaPlane, MediaRoom } from '../../media/media-plane.ts'
import type { RecordingRecord } from '../../storage/records.ts'
import type { Repositories } from '../../storage/storage.ts'
import type { RecordingQuotas } from '../retention/recording-quotas.ts'
import type { RecordingFragments } from '../stored-recordings/recording-fragments.ts'
import { LiveRecording, recordingFile } from './live-recording.ts'
import type { RecordingView } from './participant.ts'
import { RecordingRepairs } from './recording-repairs.ts'
import type { RecordingSpace } from './recording-space.ts'
import type { SessionWriteQueue } from './session-write-queue.ts'

/** MIME type of every recording. */
export const RECORDING_FORMAT = 'video/mp4'

/** Reasons in the history for refusals to record. */
const REFUSALS: Readonly<Record<string, string>> = {
  disk_unwritable: 'disk_unwritable',
  recordings_full: 'quota',
}

/** The playable result of a recording. */
type Finished = Pick<RecordingResult, 'durationMs' | 'sizeInBytes'> & { endedAt: number }

export interface SessionRecordingsOptions {
  projectId: string
  sessionId: string
  roomId: string
  roomName: string
  media: MediaRoom
  repair: MediaPlane['repairRecording']
  writes: SessionWriteQueue
  clock: SteadyClock
  log: Logger
  space: Pick<RecordingSpace, 'check' | 'watch'>
  /** Absolute path of the recordings folder. */
  folder: string
  /** Sends recordings to the store while they run; null without a store. */
  fragments: Pick<RecordingFragments, 'follow' | 'leave'> | null
  /** What the recordings of the project may take; null for no limits. */
  quotas: Pick<RecordingQuotas, 'check' | 'passed'> | null
  /** @throws Refusal `session_ended` if there is no session to record */
  checkOpen: () => void
  onChange: (type: 'started' | 'updated' | 'ended', recording: RecordingView) => void
}

/** The recordings of one session, from start to completion. At most one runs at a time. Earlier ones stay listed. */
export class SessionRecordings {
  readonly #options: SessionRecordingsOptions
  readonly #recordings = new Map<string, LiveRecording>()
  readonly #repairs: RecordingRepairs
  #mediaGone = false

  constructor(options: SessionRecordingsOptions) {
    this.#options = options
    this.#repairs = new RecordingRepairs(options)
    options.media.on('recordingFailed', ({ recordingId, reason, result }) => {
      const recording = this.#recordings.get(recordingId)
      if (recording?.isRunning) void this.#finish(recording, () => Promise.resolve(result), reason)
    })
  }

  get all(): readonly RecordingView[] {
    return [...this.#recordings.values()]
  }

  get running(): readonly RecordingView[] {
    return [...this.#recordings.values()].filter((recording) => recording.isRunning)
  }

  has(id: string): boolean {
    return this.#recordings.has(id)
  }

  /** Length of a recording's media so far, in milliseconds, without pauses. Null if there are none yet. */
  lengthMs(id: string): number | null {
    const recording = this.#recordings.get(id)
    if (!recording || recording.startedAt === null) return null
    return recording.durationMs ?? recording.lengthMs(this.#options.clock.now())
  }

  /**
   * Starts a recording; resolves when its first frame is in the file.
   * @param onApplied called before anybody is informed, as for the other changes
   * @throws Refusal `invalid_state` while another one runs, `media_failed` when it cannot be started, `no_space`,
   * `session_ended`
   */
  async start(onApplied: (recording: RecordingView) => void = () => {}): Promise<RecordingView> {
    this.#options.checkOpen()
    await this.#checkSpace()
    this.#options.checkOpen()
    if (this.running.length > 0) {
      throw new Refusal('invalid_state', 'A recording is running already. Stop it before you start another.')
    }
    const recording = new LiveRecording(newId(), this.#options.folder, this.#options.clock.now())
    this.#recordings.set(recording.id, recording)
    this.#insert(recording)
    const started = this.#startMedia(recording, onApplied)
    recording.started = started.catch(() => {})
    await started
    return recording
  }

  /** @throws Refusal `provided_id_is_unrecognized`, `invalid_state`, or `media_failed` when the media worker cannot */
  async pause(id: string, onApplied = () => {}): Promise<void> {
    const recording = await this.#runningOne(id, 'recording')
    await this.#asked(this.#options.media.pauseRecording(id))
    onApplied()
    this.#setStatus(recording, 'paused', 'recording.paused')
  }

  /** @throws Refusal `provided_id_is_unrecognized`, `invalid_state`, or `media_failed` when the media worker cannot */
  async resume(id: string, onApplied = () => {}): Promise<void> {
    const recording = await this.#runningOne(id, 'paused')
    await this.#asked(this.#options.media.resumeRecording(id))
    onApplied()
    this.#setStatus(recording, 'recording', 'recording.resumed')
  }

  /**
   * Stops a recording. The caller need not wait for its completion.
   * @returns `finished` resolves when the recording is completed
   * @throws Refusal `provided_id_is_unrecognized`, or `invalid_state` when it was stopped before
   */
  stop(id: string): { finished: Promise<void> } {
    const recording = this.#find(id)
    if (recording.finished) throw new Refusal('invalid_state', 'The recording has been stopped already.')
    return { finished: this.#stop(recording) }
  }

  /** Stops a recording, unless it was stopped before. Waits until it is completed. */
  async finish(id: string): Promise<void> {
    const recording = this.#find(id)
    await (recording.finished ?? this.#stop(recording))
  }

  /** Stops all running recordings and waits until every recording is completed. */
  async finishAll(): Promise<void> {
    await Promise.all(
      [...this.#recordings.values()].map((recording) => recording.finished ?? this.#stop(recording)),
    )
  }

  /** The media worker is gone. Another worker repairs the files that it left. */
  async repairAll(reason: string): Promise<void> {
    this.#mediaGone = true
    await Promise.all(
      [...this.#recordings.values()].map(
        (recording) => recording.finished ?? this.#finish(recording, () => Promise.resolve(null), reason),
      ),
    )
  }

  /** Called when the server stops. Repairs that fail are left to its next start. */
  giveUp(): void {
    this.#repairs.giveUp()
  }

  /** The disk is nearly full. Finishes running recordings while there is still space for that. */
  finishForSpace(): void {
    for (const recording of this.#recordings.values()) {
      if (recording.isRunning) void this.#stop(recording, 'disk_low')
    }
  }

  /** Ids of recordings that are not completed. */
  get unfinished(): readonly string[] {
    return [...this.#recordings.values()].filter((one) => one.status !== 'completed').map(({ id }) => id)
  }

  /** Writes the current state of a recording to storage. Used when storage has another state or lacks the recording. */
  writeAgain(id: string): void {
    const recording = this.#find(id)
    const record = this.#recordOf(recording)
    const { projectId, writes } = this.#options
    const write = async (storage: Repositories) => {
      if (await storage.recordings.find(projectId, id)) await storage.recordings.update(projectId, id, record)
      else await storage.recordings.insert(record)
    }
    writes.write(write, 'vital')
  }

  #find(id: string): LiveRecording {
    const recording = this.#recordings.get(id)
    if (!recording) throw new Refusal('provided_id_is_unrecognized', 'This session has no such recording.')
    return recording
  }

  async #runningOne(id: string, status: RecordingRecord['status']): Promise<LiveRecording> {
    const recording = this.#find(id)
    await recording.started
    if (!recording.isRunning || recording.status !== status) {
      throw new Refusal('invalid_state', `The recording is not ${status}; it is ${recording.status}.`)
    }
    return recording
  }

  async #asked(request: Promise<void>): Promise<void> {
    await request.catch((error: unknown) => {
      throw new Refusal('media_failed', {
        message: 'The recording could not be changed. Try again.',
        cause: error,
      })
    })
  }

  #insert(recording: LiveRecording): void {
    const record = this.#recordOf(recording)
    this.#options.writes.write((storage) => storage.recordings.insert(record), 'vital')
  }

  #recordOf(recording: LiveRecording): RecordingRecord {
    const { projectId, sessionId, roomId, roomName, clock } = this.#options
    return {
      id: recording.id,
      project_id: projectId,
      room_session_id: sessionId,
      room_id: roomId,
      room_name: roomName,
      status: recording.status,
      started_at: recording.startedAt,
      finished_at: recording.status === 'completed' ? recording.endedAt : null,
      duration_ms: recording.durationMs,
      size_in_bytes: recording.sizeInBytes,
      format: RECORDING_FORMAT,
      file: recordingFile(recording.id),
      place: this.#options.fragments ? 'sending' : 'disk',
      stored_at: null,
      sha256: null,
      created_at: recording.createdAt,
      updated_at: clock.now(),
    }
  }

  async #checkSpace(): Promise<void> {
    const { space, quotas, projectId, writes } = this.#options
    try {
      await quotas?.check(projectId)
      await space.check()
    } catch (error) {
      const code = error instanceof Refusal ? error.code : ''
      writes.event('recording.refused', {
        level: 'error',
        importance: 'vital',
        payload: { reason: REFUSALS[code] ?? 'disk_low' },
      })
      throw error
    }
  }

  async #startMedia(recording: LiveRecording, onApplied: (recording: RecordingView) => void): Promise<void> {
    const { media, writes, clock, space, onChange } = this.#options
    try {
      const { startedAt } = await media.startRecording(recording.id, recording.file)
      recording.startedAt = clock.fromWall(startedAt)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (recording.isRunning) await this.#finish(recording, () => Promise.resolve(null), reason)
      throw new Refusal('media_failed', {
        message: 'The recording could not be started. Try again.',
        cause: error,
      })
    }
    onApplied(recording)
    if (!recording.isRunning) return
    recording.run(recording.startedAt)
    space.watch()
    this.#options.fragments?.follow(recordingFile(recording.id))
    this.#update(recording, { started_at: recording.startedAt })
    writes.event('recording.started', { recordingId: recording.id, payload: { recording_id: recording.id } })
    onChange('started', recording)
  }

  #stop(recording: LiveRecording, failure: string | null = null): Promise<void> {
    const stopMedia = async () => {
      await recording.started
      return this.#mediaGone ? null : this.#options.media.stopRecording(recording.id)
    }
    return this.#finish(recording, stopMedia, failure)
  }

  /**
   * Completes a recording. Every path to completion uses this method, and it runs once per recording. `result` gives
   * the media worker's result; null or a rejection mean that there is none.
   */
  #finish(
    recording: LiveRecording,
    result: () => Promise<RecordingResult | null>,
    failure: string | null,
  ): Promise<void> {
    recording.finished ??= this.#complete(recording, result, failure)
    return recording.finished
  }

  async #complete(
    recording: LiveRecording,
    result: () => Promise<RecordingResult | null>,
    failure: string | null,
  ): Promise<void> {
    const { writes, onChange, clock } = this.#options
    recording.endedAt = clock.now()
    recording.halt(recording.endedAt)
    recording.status = 'processing'
    this.#update(recording, { status: 'processing' })
    writes.event('recording.ended', {
      recordingId: recording.id,
      importance: 'vital',
      level: failure === null ? 'info' : 'error',
      payload: { recording_id: recording.id, ...(failure !== null && { reason: failure }) },
    })
    const done = await result().catch(() => null)
    await this.#options.fragments?.leave(recordingFile(recording.id))
    const finished: Finished | null | 'later' = done
      ? { ...done, endedAt: clock.fromWall(done.endedAt) }
      : await this.#repaired(recording, recording.endedAt)
    if (finished === 'later') return
    recording.status = 'completed'
    recording.endedAt = finished?.endedAt ?? recording.endedAt
    recording.durationMs = finished?.durationMs ?? 0
    recording.sizeInBytes = finished?.sizeInBytes ?? 0
    this.#recordCompletion(recording, finished)
    onChange('ended', recording)
  }

  async #repaired(recording: LiveRecording, endedAt: number): Promise<Finished | null | 'later'> {
    const repaired = await this.#repairs.untilDone(recording.id, recording.file)
    return repaired && repaired !== 'later' ? { ...repaired, endedAt } : repaired
  }

  #recordCompletion(recording: LiveRecording, finished: Finished | null): void {
    const size = finished?.sizeInBytes ?? 0
    this.#update(recording, {
      status: 'completed',
      started_at: recording.startedAt,
      finished_at: recording.endedAt,
      duration_ms: recording.durationMs,
      size_in_bytes: size,
    })
    this.#options.writes.event(finished ? 'recording.completed' : 'recording.failed', {
      recordingId: recording.id,
      importance: 'vital',
      level: finished ? 'info' : 'error',
      payload: {
        recording_id: recording.id,
        duration_ms: recording.durationMs,
        size_in_bytes: size,
        ...(!finished && { reason: 'nothing of it can be played' }),
      },
    })
    if (size > 0) this.#tellQuota(recording.id, size)
  }

  /** In the same order as the other writes, so that what is counted has this recording. */
  #tellQuota(recordingId: string, size: number): void {
    const { quotas, projectId, roomId, sessionId, writes, clock } = this.#options
    if (!quotas) return
    writes.write(async (storage) => {
      const passed = await quotas.passed(storage, projectId, size)
      if (!passed) return
      await storage.events.append({
        id: newId(),
        project_id: projectId,
        room_id: roomId,
        room_session_id: sessionId,
        room_recording_id: recordingId,
        room_participant_id: null,
        level: 'warning',
        name: 'recording.quota',
        payload: { recording_id: recordingId, ...passed },
        created_at: clock.now(),
      })
    }, 'vital')
  }

  #setStatus(
    recording: LiveRecording,
    status: 'recording' | 'paused',
    event: 'recording.paused' | 'recording.resumed',
  ): void {
    if (!recording.isRunning) return
    const now = this.#options.clock.now()
    if (status === 'paused') recording.halt(now)
    else recording.run(now)
    recording.status = status
    this.#update(recording, { status })
    this.#options.writes.event(event, {
      recordingId: recording.id,
      payload: { recording_id: recording.id },
    })
    this.#options.onChange('updated', recording)
  }

  #update(recording: LiveRecording, changes: Partial<RecordingRecord>): void {
    const { projectId, writes, clock } = this.#options
    const stamped = { ...changes, updated_at: clock.now() }
    writes.write((storage) => storage.recordings.update(projectId, recording.id, stamped), 'vital')
  }
}
