import type { Logger } from 'pino'
import type { SteadyClock, Timer } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import type { MediaRoom } from '../../media/media-plane.ts'
import type { Targets } from '../../outgoing/targets.ts'
import type { StreamRunRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { type StreamCondition, type StreamErrorClass, WAITING } from '../live-sessions.ts'
import { connectionTarget, STREAM_PROTOCOLS, streamUrl } from '../streams.ts'
import type { StreamView } from './participant.ts'
import type { SessionWriteQueue } from './session-write-queue.ts'

/** Dependencies of streams outside of the session. */
export interface StreamSources {
  /** Checks and resolves addresses, again before each connection. */
  targets: Targets
  /** Key that decrypts the addresses of stored streams. */
  sealingKey: Uint8Array
  /** Maximum number of simultaneous streams in one session. */
  maxStreamsPerRoom: number
}

/**
 * A stream that was lost or did not start is tried again after this delay plus a random part of up to the same
 * length, for as long as it is wanted. The delay does not grow: a stream must resume soon after its server is back,
 * however long that was away.
 */
const RETRY_MS = 1000

/** A stream of a running session. It is one run, which may take several connections. */
export class LiveStream implements StreamView {
  readonly id: string
  readonly url: string
  /** Id of its record, and of its connections in the media room. */
  readonly runId = newId()
  readonly isStored: boolean
  readonly createdAt: number
  startedAt: number | null = null
  endedAt: number | null = null
  /** Since when its server has accepted the stream on the current connection. Null while it has not. */
  liveSince: number | null = null
  /**
   * Since when it has not been running although it should. Null while it runs or first connects. The history gets one
   * event per interruption.
   */
  retryingSince: number | null = null
  lastError: StreamErrorClass | null = null
  /** How often its server has accepted it again after an interruption. */
  reconnects = 0
  retry: Timer | null = null

  constructor(url: string, storedId: string | null, createdAt: number) {
    this.createdAt = createdAt
    this.id = storedId ?? newId()
    this.url = url
    this.isStored = storedId !== null
  }

  get state(): StreamView['state'] {
    return this.endedAt === null ? 'streaming' : 'completed'
  }

  /** State of its connection. */
  get condition(): StreamCondition {
    const { liveSince, retryingSince, lastError } = this
    if (this.state === 'completed') return { ...WAITING, lastError }
    const status = liveSince !== null ? 'live' : retryingSince !== null ? 'retrying' : 'connecting'
    return { status, liveSince, retryingSince, lastError }
  }
}

export interface SessionStreamsOptions {
  projectId: string
  roomId: string
  sessionId: string
  media: MediaRoom
  storage: Storage
  writes: SessionWriteQueue
  clock: SteadyClock
  log: Logger
  sources: StreamSources
  /** @throws Refusal `session_ended` if there is no session to stream */
  checkOpen: () => void
  onChange: (type: 'started' | 'ended', stream: StreamView) => void
  /** The state of a connection changed. Clients are not told. */
  onCondition: () => void
}

/**
 * The streams of one session. Stored streams of the room start and stop with the session. Others are started by
 * members. A lost stream is connected again for as long as it is wanted.
 */
export class SessionStreams {
  readonly #options: SessionStreamsOptions
  /**
   * Keyed by their id on the wire. A stored stream that was stopped in this session stays here, so that it is not
   * started again.
   */
  readonly #streams = new Map<string, LiveStream>()
  #syncing: Promise<void> = Promise.resolve()
  #ended = false

  constructor(options: SessionStreamsOptions) {
    this.#options = options
    options.media.on('streamLost', ({ streamId, cause }) => {
      const stream = this.running.find(({ runId }) => runId === streamId)
      if (stream) this.#tryAgain(stream, cause)
    })
  }

  get all(): readonly StreamView[] {
    return [...this.#streams.values()]
  }

  /** Those that run, and stored ones that were stopped in this session. */
  get known(): readonly LiveStream[] {
    return [...this.#streams.values()].filter((stream) => stream.isStored || stream.state === 'streaming')
  }

  get running(): readonly LiveStream[] {
    return [...this.#streams.values()].filter((stream) => stream.state === 'streaming')
  }

  /** State of the connection of a stored stream. Null if this session has no such stream. */
  conditionOf(id: string): StreamCondition | null {
    return this.#streams.get(id)?.condition ?? null
  }

  /** Number of running streams that members started. */
  get ofMembers(): number {
    return this.running.filter((stream) => !stream.isStored).length
  }

  /** Starts and stops streams until the running ones match the stored streams of the room. */
  sync(): Promise<void> {
    this.#syncing = this.#syncing
      .then(() => this.#sync())
      .catch((error: unknown) => this.#log(error, 'streams of the room not read'))
    return this.#syncing
  }

  /**
   * Starts a stream that is not stored. Resolves when its server has accepted it.
   * @throws Refusal `invalid_parameter` if the address cannot be used, `exceeds_platform_stream_limit`,
   * `stream_not_accepted` by its server, `session_ended`
   */
  async start(url: string): Promise<StreamView> {
    this.#options.checkOpen()
    const limit = this.#options.sources.maxStreamsPerRoom
    if (this.running.length >= limit) {
      throw new Refusal(
        'exceeds_platform_stream_limit',
        `A session may have ${limit} streams at a time. Stop one first.`,
      )
    }
    const stream = this.#begin(url, null)
    try {
      await this.#connect(stream)
    } catch (error) {
      this.#end(stream)
      this.#streams.delete(stream.id)
      // Only the check of the address refuses. Everything else is a failed connection.
      if (!(error instanceof Refusal)) throw new Refusal('stream_not_accepted', { cause: error })
      const message = 'The address must be rtmp:// or rtmps://, and lead to a server on the internet.'
      throw new Refusal('invalid_parameter', { message, cause: error })
    }
    return stream
  }

  /**
   * Starts a stored stream again that was stopped in this session.
   * @throws Refusal `provided_id_is_unrecognized`, or `invalid_state` while it runs
   */
  async startAgain(id: string): Promise<void> {
    this.#options.checkOpen()
    const stream = this.#streams.get(id)
    if (!stream?.isStored)
      throw new Refusal('provided_id_is_unrecognized', 'This session has no such stream.')
    if (stream.state === 'streaming') throw new Refusal('invalid_state', 'The stream runs already.')
    this.#streams.delete(id)
    await this.sync()
  }

  /** @throws Refusal `provided_id_is_unrecognized`, or `invalid_state` when it was stopped before */
  stop(id: string): void {
    const stream = this.#streams.get(id)
    if (!stream) throw new Refusal('provided_id_is_unrecognized', 'This session has no such stream.')
    if (stream.state !== 'streaming') {
      throw new Refusal('invalid_state', 'The stream has been stopped already.')
    }
    this.#end(stream)
  }

  /** The session is over. The media room ends the connections when it closes. */
  endAll(): void {
    this.#ended = true
    for (const stream of this.running) this.#complete(stream)
  }

  async #sync(): Promise<void> {
    const { storage, projectId, roomId, sources } = this.#options
    const stored = await storage.streams.listOfRoom(projectId, roomId)
    if (this.#ended) return
    const wanted = new Map(stored.map((record) => [record.id, streamUrl(record, sources.sealingKey)]))
    for (const stream of [...this.#streams.values()]) {
      if (!stream.isStored || wanted.get(stream.id) === stream.url) continue
      if (stream.state === 'streaming') this.#end(stream)
      this.#streams.delete(stream.id)
    }
    // Oldest first: in the order in which they were created.
    for (const [id, url] of [...wanted].reverse()) {
      if (this.#streams.has(id)) continue
      const stream = this.#begin(url, id)
      this.#connect(stream).catch((error: unknown) => this.#tryAgain(stream, errorClassOf(error)))
    }
  }

  #begin(url: string, storedId: string | null): LiveStream {
    const { writes, clock } = this.#options
    const stream = new LiveStream(url, storedId, clock.now())
    this.#streams.set(stream.id, stream)
    const record = this.#recordOf(stream)
    writes.write((storage) => storage.streamRuns.insert(record))
    this.#options.onCondition()
    return stream
  }

  #recordOf(stream: LiveStream): StreamRunRecord {
    const { projectId, sessionId } = this.#options
    return {
      id: stream.runId,
      project_id: projectId,
      room_session_id: sessionId,
      stream_id: stream.isStored ? stream.id : null,
      status: 'streaming',
      started_at: stream.startedAt,
      ended_at: null,
      created_at: stream.createdAt,
      updated_at: stream.createdAt,
    }
  }

  /** The rows that storage should have for the running streams. */
  get openRecords(): readonly StreamRunRecord[] {
    return this.running.map((stream) => this.#recordOf(stream))
  }

  /** Makes one connection. Rejects if it fails. Does nothing more for a stream that has ended meanwhile. */
  async #connect(stream: LiveStream): Promise<void> {
    const { media, sources, clock } = this.#options
    const found = await sources.targets.resolve(stream.url, STREAM_PROTOCOLS, 'url')
    if (stream.state !== 'streaming') return
    const target = connectionTarget(found)
    const { startedAt } = await media.startStream({ streamId: stream.runId, url: stream.url, target })
    if (stream.state === 'streaming') this.#connected(stream, clock.fromWall(startedAt))
  }

  #connected(stream: LiveStream, startedAt: number): void {
    stream.liveSince = startedAt
    stream.retryingSince = null
    if (stream.startedAt !== null) {
      stream.reconnects++
      this.#event('stream.resumed', stream)
      this.#options.onCondition()
      return
    }
    stream.startedAt = startedAt
    this.#update(stream, { started_at: startedAt })
    this.#event('stream.started', stream)
    this.#options.onChange('started', stream)
  }

  #tryAgain(stream: LiveStream, error: StreamErrorClass): void {
    if (stream.state !== 'streaming' || stream.retry) return
    stream.liveSince = null
    stream.lastError = error
    if (stream.retryingSince === null) {
      stream.retryingSince = this.#options.clock.now()
      this.#event('stream.interrupted', stream, { level: 'warning', reason: error })
      this.#options.onCondition()
    }
    const delayMs = RETRY_MS * (1 + Math.random())
    stream.retry = this.#options.clock.after(delayMs, () => {
      stream.retry = null
      this.#connect(stream).catch((error: unknown) => this.#tryAgain(stream, errorClassOf(error)))
    })
  }

  /** Stops a stream while the session goes on. */
  #end(stream: LiveStream): void {
    this.#complete(stream)
    this.#options.media
      .stopStream(stream.runId)
      .catch((error: unknown) => this.#log(error, 'stream not stopped by the media worker'))
  }

  #complete(stream: LiveStream): void {
    stream.retry?.cancel()
    stream.endedAt = this.#options.clock.now()
    this.#update(stream, { status: 'completed', ended_at: stream.endedAt })
    this.#options.onCondition()
    if (stream.startedAt === null) return
    this.#event('stream.ended', stream)
    this.#options.onChange('ended', stream)
  }

  /** Writes an event with the stream's id. Its address must never be written, because it holds a secret key. */
  #event(
    name: 'stream.started' | 'stream.resumed' | 'stream.interrupted' | 'stream.ended',
    stream: LiveStream,
    { level = 'info', reason }: { level?: 'info' | 'warning'; reason?: string } = {},
  ): void {
    this.#options.writes.event(name, {
      level,
      payload: { stream_id: stream.id, ...(reason !== undefined && { reason }) },
    })
  }

  #update(stream: LiveStream, changes: Partial<StreamRunRecord>): void {
    const { projectId, writes, clock } = this.#options
    const stamped = { ...changes, updated_at: clock.now() }
    writes.write((storage) => storage.streamRuns.update(projectId, stream.runId, stamped))
  }

  #log(error: unknown, message: string): void {
    this.#options.log.warn({ err: error, sessionId: this.#options.sessionId }, message)
  }
}

/**
 * Classifies a failed connection. All failures to connect belong to one class. If the class told whether a port is
 * closed, filtered or speaks another protocol, customers could use the server to scan other networks.
 */
function errorClassOf(error: unknown): StreamErrorClass {
  const isUnsafe = error instanceof Refusal && error.code === 'url_is_unsafe'
  return isUnsafe ? 'address_refused' : 'unreachable'
}
