import type { Logger } from 'pino'
import type { SteadyClock } from '../../clock.ts'
import type { MediaPlane, MediaRoom } from '../../media/media-plane.ts'
import type { RoomRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import type { RecordingQuotas } from '../retention/recording-quotas.ts'
import type { RecordingFragments } from '../stored-recordings/recording-fragments.ts'
import type { SessionView } from './participant.ts'
import type { RecordingSpace } from './recording-space.ts'
import type { SessionLayout } from './session-layout.ts'
import type { SessionNotifications } from './session-notifications.ts'
import { SessionPlaybacks } from './session-playbacks.ts'
import { SessionRecordings } from './session-recordings.ts'
import type { SessionSettings } from './session-settings.ts'
import { SessionStreams, type StreamSources } from './session-streams.ts'
import type { SessionWatchers } from './session-watchers.ts'
import type { SessionWriteQueue } from './session-write-queue.ts'

export interface SessionOutputsOptions {
  session: SessionView
  room: RoomRecord
  media: MediaRoom
  repair: MediaPlane['repairRecording']
  storage: Storage
  writes: SessionWriteQueue
  clock: SteadyClock
  log: Logger
  layout: SessionLayout
  notifications: SessionNotifications
  watchers: SessionWatchers
  settings: SessionSettings
  recordingSpace: RecordingSpace
  /** Null without a store of objects. */
  fragments: RecordingFragments | null
  /** Null for no limits. */
  quotas: Pick<RecordingQuotas, 'check' | 'passed'> | null
  streamSources: StreamSources
  /** @throws Refusal `session_ended` unless the session is in storage and open */
  checkStarted: () => void
}

/** What a session's media room gives and takes beside the legs of its members: recordings, streams, played files. */
export class SessionOutputs {
  readonly recordings: SessionRecordings
  readonly streams: SessionStreams
  readonly playbacks: SessionPlaybacks
  readonly #options: SessionOutputsOptions

  constructor(options: SessionOutputsOptions) {
    this.#options = options
    const { session, room, media, storage, writes, clock, log, settings, notifications, streamSources } =
      options
    const owner = { projectId: room.project_id, roomId: room.id, sessionId: session.id }
    const parts = { ...owner, media, writes, clock, log, checkOpen: options.checkStarted }
    this.recordings = new SessionRecordings({
      ...parts,
      roomName: room.name,
      repair: options.repair,
      space: options.recordingSpace,
      folder: settings.recordingsFolder,
      fragments: options.fragments,
      quotas: options.quotas,
      onChange: (type, recording) => notifications.recordingChanged(type, recording),
    })
    this.streams = new SessionStreams({
      ...parts,
      storage,
      sources: streamSources,
      onChange: (type, stream) => notifications.streamChanged(type, stream),
      onCondition: () => options.watchers.tellQuietly(session, 'stream'),
    })
    this.playbacks = new SessionPlaybacks({
      ...parts,
      layout: options.layout,
      targets: streamSources.targets,
      limit: settings.maxPlaybacksPerRoom,
      onChange: (type, playback) => notifications.playbackChanged(type, playback),
    })
  }

  /** The session is in storage. Its streams start and, if the room says so, a recording. */
  start(): void {
    const { session, room, log } = this.#options
    void this.streams.sync()
    if (!room.record_on_start) return
    this.recordings.start().catch((error: unknown) => {
      log.error({ err: error, sessionId: session.id }, 'recording on start failed')
    })
  }

  /** The session has ended. Recordings go on until {@link finish}. */
  end(): void {
    this.streams.endAll()
    this.playbacks.endAll()
  }

  /**
   * Completes the recordings and closes the media room.
   * @param isMediaGone the media worker died: what it recorded is repaired
   */
  async finish(isMediaGone: boolean): Promise<void> {
    const { session, media, log } = this.#options
    if (isMediaGone) {
      await this.recordings.repairAll('media_worker_died')
    } else {
      await this.recordings.finishAll()
      await media.close().catch((error: unknown) => {
        log.warn({ err: error, sessionId: session.id }, 'media room not closed')
      })
    }
    media.removeAllListeners()
  }
}
