import { EventEmitter } from 'node:events'
import type {
  ConnectionTarget,
  LegOptions,
  MemberMedia,
  PlaybackEnd,
  PlaybackInfo,
  PlaybackOptions,
  PlaybackState,
  RecordingResult,
  RoomMediaOptions,
  StreamOptions,
  Tile,
} from '../../media/channel.ts'
import type { MediaPlane, MediaRoom, MediaRoomEvents } from '../../media/media-plane.ts'
import { MediaWorkerGone } from '../../media/media-plane.ts'
import type { ManualClock } from './manual-clock.ts'

/** A negotiation whose outcome the simulation decides. */
interface Negotiation {
  legId: string
  succeed: () => void
  fail: () => void
}

/** A playback of a file of an hour, which moves as soon as it is started. */
interface SimulatedPlayback extends PlaybackOptions {
  isPaused: boolean
}

/** The simulated media of one room. It only keeps the state that the real room promises to keep. */
export class SimulatedRoom extends EventEmitter<MediaRoomEvents> implements MediaRoom {
  readonly sessionId: string
  readonly options: RoomMediaOptions
  readonly legs = new Map<string, LegOptions>()
  readonly members = new Map<string, MemberMedia>()
  readonly recordings = new Map<string, { startedAt: number; startedMs: number; file: string }>()
  readonly streams = new Map<string, StreamOptions>()
  readonly playbacks = new Map<string, SimulatedPlayback>()
  /** Answers to `addressWanted`. */
  readonly addresses = new Map<number, ConnectionTarget | null>()
  tiles: Tile[] = []
  /** Changes of members that are not applied yet. */
  changesUnderWay = 0
  #turn: Promise<void> = Promise.resolve()
  /** The latest negotiation of each leg. */
  readonly #negotiating = new Map<string, { isClosed: boolean }>()
  readonly #plane: SimulatedMedia

  constructor(options: RoomMediaOptions, plane: SimulatedMedia) {
    super()
    this.options = options
    this.sessionId = options.sessionId
    this.#plane = plane
  }

  get isAlive(): boolean {
    return this.#plane.rooms.has(this)
  }

  async connectLeg(options: LegOptions): Promise<{ answer: string }> {
    this.#checkAlive()
    if (options.offer === 'garbage') throw new Error('not an SDP offer')
    const negotiation = { isClosed: false }
    this.#negotiating.set(options.legId, negotiation)
    if (this.#plane.holdsNegotiations) await this.#plane.hold(options.legId)
    this.#checkAlive()
    // As in a worker: a leg that is closed during its negotiation never connects.
    if (negotiation.isClosed) throw new Error('the leg is closed')
    this.legs.set(options.legId, options)
    if (this.#plane.connectsLegs) {
      setImmediate(() => {
        if (this.legs.has(options.legId)) this.emit('leg', { legId: options.legId, state: 'connected' })
      })
    }
    return { answer: `answer to ${options.offer}` }
  }

  async closeLeg(legId: string): Promise<void> {
    this.#checkAlive()
    const negotiation = this.#negotiating.get(legId)
    if (negotiation) negotiation.isClosed = true
    this.legs.delete(legId)
  }

  setMember(member: MemberMedia): Promise<void> {
    return this.#inTurn(() => this.members.set(member.memberId, member))
  }

  removeMember(memberId: string): Promise<void> {
    return this.#inTurn(() => this.members.delete(memberId))
  }

  /** Like a worker, it applies changes of members in the order in which they were sent. */
  async #inTurn(apply: () => void): Promise<void> {
    this.#checkAlive()
    this.changesUnderWay++
    const turn = this.#turn.then(async () => {
      await this.#plane.confirmations
      this.changesUnderWay--
      this.#checkAlive()
      apply()
    })
    this.#turn = turn.catch(() => {})
    await turn
  }

  async setTiles(tiles: Tile[]): Promise<void> {
    this.#checkAlive()
    this.tiles = tiles
    await this.#plane.tilesConfirmed
  }

  async playTone(): Promise<void> {
    this.#checkAlive()
  }

  async startRecording(recordingId: string, file: string): Promise<{ startedAt: number }> {
    this.#checkAlive()
    const startedAt = this.#plane.clock.now()
    const startedMs = this.#plane.clock.monotonicMs()
    this.recordings.set(recordingId, { startedAt, startedMs, file })
    this.#plane.files.set(file, startedMs)
    return { startedAt }
  }

  async pauseRecording(): Promise<void> {
    this.#checkAlive()
  }

  async resumeRecording(): Promise<void> {
    this.#checkAlive()
  }

  async stopRecording(recordingId: string): Promise<RecordingResult> {
    this.#checkAlive()
    const recording = this.recordings.get(recordingId)
    if (!recording) throw new Error(`no running recording ${recordingId}`)
    this.recordings.delete(recordingId)
    const endedAt = this.#plane.clock.now()
    const durationMs = this.#plane.clock.monotonicMs() - recording.startedMs
    return { recordingId, startedAt: recording.startedAt, endedAt, durationMs, sizeInBytes: 1000 }
  }

  async startStream(options: StreamOptions): Promise<{ startedAt: number }> {
    this.#checkAlive()
    const refusal = this.#plane.refusesStreams
    if (refusal !== null) throw new Error(refusal)
    this.streams.set(options.streamId, options)
    return { startedAt: this.#plane.clock.now() }
  }

  async stopStream(streamId: string): Promise<void> {
    this.#checkAlive()
    this.streams.delete(streamId)
  }

  /** The server that receives the stream closes the connection. */
  loseStream(streamId: string): void {
    if (this.streams.delete(streamId)) this.emit('streamLost', { streamId, cause: 'closed' })
  }

  async startPlayback(options: PlaybackOptions): Promise<PlaybackInfo> {
    this.#checkAlive()
    const refusal = this.#plane.refusesPlaybacks
    if (refusal !== null) throw new Error(refusal)
    this.playbacks.set(options.playbackId, { ...options, isPaused: false })
    return this.#plane.playbackInfo
  }

  async pausePlayback(playbackId: string): Promise<PlaybackState> {
    return this.#changePlayback(playbackId, { isPaused: true })
  }

  async resumePlayback(playbackId: string): Promise<PlaybackState> {
    return this.#changePlayback(playbackId, { isPaused: false })
  }

  async seekPlayback(playbackId: string, positionMs: number): Promise<PlaybackState> {
    return this.#changePlayback(playbackId, { positionMs })
  }

  async setPlaybackVolume(playbackId: string, volume: number): Promise<void> {
    this.#changePlayback(playbackId, { volume })
  }

  async stopPlayback(playbackId: string): Promise<void> {
    this.#checkAlive()
    this.playbacks.delete(playbackId)
  }

  async giveAddress(questionId: number, target: ConnectionTarget | null): Promise<void> {
    this.#checkAlive()
    this.addresses.set(questionId, target)
  }

  /** The file is over, or its server fails. */
  endPlayback(playbackId: string, reason: PlaybackEnd, positionMs: number): void {
    if (this.playbacks.delete(playbackId)) this.emit('playbackEnded', { playbackId, reason, positionMs })
  }

  #changePlayback(playbackId: string, changes: Partial<SimulatedPlayback>): PlaybackState {
    this.#checkAlive()
    const playback = this.playbacks.get(playbackId)
    if (!playback) throw new Error(`no playback ${playbackId}`)
    Object.assign(playback, changes)
    return { positionMs: playback.positionMs, isMoving: !playback.isPaused }
  }

  async close(): Promise<RecordingResult[]> {
    this.#checkAlive()
    this.#plane.rooms.delete(this)
    return []
  }

  /** The worker process is killed. */
  die(): void {
    if (!this.#plane.rooms.delete(this)) return
    this.emit('died', { reason: 'killed by SIGKILL' })
  }

  #checkAlive(): void {
    if (!this.isAlive) throw new MediaWorkerGone('killed by SIGKILL')
  }
}

/** All media rooms of a simulation. */
export class SimulatedMedia implements MediaPlane {
  admitsAudience = true
  readonly clock: ManualClock
  readonly ready = true
  readonly workers = []
  readonly rooms = new Set<SimulatedRoom>()
  /** Start times of recordings by file, repaired or not, as the clock's monotonic milliseconds. */
  readonly files = new Map<string, number>()
  /** While set, offers wait in {@link negotiations} until the simulation answers them. */
  holdsNegotiations = false
  readonly negotiations: Negotiation[] = []
  refusesRooms = false
  /** Changes of members are applied and confirmed once this promise has settled. */
  confirmations: Promise<void> | null = null
  /** Changes of the tiles are confirmed once this promise has settled. */
  tilesConfirmed: Promise<void> | null = null
  /** While set: the reason why servers refuse streams. */
  refusesStreams: string | null = null
  /** While set: why nothing can be played. */
  refusesPlaybacks: string | null = null
  /** What every playback turns out to be. */
  playbackInfo: PlaybackInfo = { durationMs: 3_600_000, isSeekable: true, hasPicture: true }
  /** Whether the transport of a leg connects by itself, right after its answer. */
  connectsLegs = true

  constructor(clock: ManualClock) {
    this.clock = clock
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  prepare(): void {}

  async createRoom(options: RoomMediaOptions): Promise<MediaRoom> {
    if (this.refusesRooms) throw new MediaWorkerGone('no media worker is ready')
    const room = new SimulatedRoom(options, this)
    this.rooms.add(room)
    return room
  }

  async makePoster(): Promise<void> {}

  async repairRecording(file: string): Promise<{ durationMs: number; sizeInBytes: number } | null> {
    const startedAt = this.files.get(file)
    return startedAt === undefined
      ? null
      : { durationMs: this.clock.monotonicMs() - startedAt, sizeInBytes: 900 }
  }

  /** The media room of a session, if it has one. */
  roomOf(sessionId: string): SimulatedRoom | undefined {
    return [...this.rooms].find((room) => room.sessionId === sessionId)
  }

  hold(legId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: () => void) => {
        this.negotiations.splice(this.negotiations.indexOf(negotiation), 1)
        outcome()
      }
      const negotiation: Negotiation = {
        legId,
        succeed: () => settle(resolve),
        fail: () => settle(() => reject(new Error('nothing in common'))),
      }
      this.negotiations.push(negotiation)
    })
  }
}
