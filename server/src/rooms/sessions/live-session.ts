import type { Logger } from 'pino'
import { type Clock, type SteadyClock, steadyClock, type Timer } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { MediaPlane, MediaRoom } from '../../media/media-plane.ts'
import type { EventPayload } from '../../resources/event-names.ts'
import type { Meta, RoomRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Layout } from '../layouts/layout-types.ts'
import { memberTiles } from '../layouts/layouts.ts'
import type { RoomTokenGrant } from '../room-token.ts'
import { type TokenKey, tokenKey } from '../token-key.ts'
import type { ChildRequest, MemberRequest } from './join-request.ts'
import type { Member, MemberSettings } from './member.ts'
import type {
  ClientIdentity,
  EndCause,
  Participant,
  RecordingView,
  SessionView,
  StreamView,
} from './participant.ts'
import type { RecordingSpace } from './recording-space.ts'
import type { VoidReason } from './session-bans.ts'
import { type OpenRecords, type SessionEndReason, SessionHistory } from './session-history.ts'
import { SessionJoins } from './session-joins.ts'
import { SessionLayout } from './session-layout.ts'
import { type Leg, SessionLegs } from './session-legs.ts'
import { SessionNotifications } from './session-notifications.ts'
import { SessionRecordings } from './session-recordings.ts'
import { SessionRemovals } from './session-removals.ts'
import { SessionRoster } from './session-roster.ts'
import { SessionStreams, type StreamSources } from './session-streams.ts'
import { SessionTokens } from './session-tokens.ts'
import { type Repositories, SessionWriteQueue } from './session-write-queue.ts'
import type { WriteQueueBudget } from './write-queue-budget.ts'

/** The cause that clients get, for each reason why a session ends. */
const CAUSE_OF_END: Record<SessionEndReason, EndCause> = {
  empty: 'session_ended',
  member_left: 'session_ended',
  room_deleted: 'session_ended',
  media_worker_died: 'media_worker_died',
  shutdown: 'shutdown',
}

/** Settings of the operator for sessions. */
export interface SessionSettings {
  /** How long a session stays open with nobody in it, in milliseconds. */
  sessionGraceMs: number
  /** How long a participant keeps its seat after its socket dropped, in milliseconds. */
  reconnectGraceMs: number
  /** Maximum audience of one session, in addition to its members. */
  maxAudience: number
  /** Maximum number of seats that one token holds at the same time. Null for no limit. */
  seatsPerToken: number | null
  /** Absolute path of the recordings folder. */
  recordingsFolder: string
}

export interface LiveSessionOptions {
  id: string
  room: RoomRecord
  media: MediaRoom
  previewPath: string | null
  repair: MediaPlane['repairRecording']
  storage: Storage
  clock: Clock
  log: Logger
  /** Memory budget for unwritten records, shared with the other sessions. */
  writeQueueBudget: WriteQueueBudget
  settings: SessionSettings
  recordingSpace: RecordingSpace
  streamSources: StreamSources
  /** Called once, when the session stops taking requests. */
  onEnded: (session: LiveSession) => void
}

/** Request to join as a member or as audience. */
export type JoinRequest = MemberRequest<LiveSession>

/** A running instance of a room. Requests take effect at once in memory. Disk and media worker follow later. */
export class LiveSession implements SessionView {
  readonly id: string
  readonly room: RoomRecord
  readonly recordings: SessionRecordings
  readonly streams: SessionStreams
  locked = false
  readonly hideVideoMuted = false
  readonly meta: Meta
  readonly previewPath: string | null
  readonly #options: LiveSessionOptions
  readonly #media: MediaRoom
  /** A steady clock: changes of the system time do not affect durations here. */
  readonly #clock: SteadyClock
  readonly #writes: SessionWriteQueue
  readonly #history: SessionHistory
  readonly #legs: SessionLegs
  readonly #roster: SessionRoster
  readonly #tokens: SessionTokens
  readonly #joins: SessionJoins<LiveSession>
  readonly #notifications: SessionNotifications
  readonly #removals: SessionRemovals
  readonly #layout: SessionLayout
  #emptiness: Timer | null = null
  #ended: Promise<void> | null = null
  #finished: Promise<void> = Promise.resolve()

  constructor(options: LiveSessionOptions) {
    const { id, room, media, storage, log, settings } = options
    const clock = steadyClock(options.clock)
    this.id = id
    this.room = room
    this.meta = room.meta ?? {}
    this.previewPath = options.previewPath
    this.#options = options
    this.#media = media
    this.#clock = clock
    const owner = { projectId: room.project_id, roomId: room.id, sessionId: id }
    this.#writes = new SessionWriteQueue({ storage, clock, log, owner, budget: options.writeQueueBudget })
    this.#history = new SessionHistory({ sessionId: id, room, writes: this.#writes, clock })
    this.#roster = new SessionRoster({ member: room.max_members, audience: settings.maxAudience }, clock)
    this.#tokens = new SessionTokens({
      room,
      roster: this.#roster,
      seatsPerToken: settings.seatsPerToken,
      clock,
    })
    this.#notifications = new SessionNotifications(this, this.#roster, clock)
    this.#removals = new SessionRemovals(clock, (member) => this.#leave(member, 'time_over'))
    this.#layout = new SessionLayout({
      clock,
      layout: room.layout,
      options: { hideVideoMuted: this.hideVideoMuted, prioritizeHandraise: room.prioritize_handraise },
      members: () => this.members,
      onChange: (layout) => this.#layoutChanged(layout),
    })
    this.#legs = new SessionLegs({
      sessionId: id,
      media,
      clock,
      log,
      checkOpen: () => this.#checkOpen(),
      onLost: (leg) => this.#legLost(leg),
      onClosed: (leg) => this.#history.callEnded(leg.id),
    })
    this.#joins = new SessionJoins<LiveSession>({
      session: this,
      sessionId: id,
      room,
      roster: this.#roster,
      tokens: this.#tokens,
      legs: this.#legs,
      history: this.#history,
      clock,
      log,
      isLocked: () => this.locked,
      isEnded: () => this.isEnded,
      checkOpen: () => this.#checkOpen(),
      onFirst: () => this.#start(),
      onUnderWay: (isUnderWay) => (isUnderWay ? this.#emptiness?.cancel() : this.#watchEmptiness()),
      onSeated: (member, request) => this.#seated(member, request),
      onChildSeated: (child) => this.#announce(child),
      onReplaced: (member, cause) => this.#leave(member, cause),
    })
    this.recordings = new SessionRecordings({
      projectId: room.project_id,
      sessionId: id,
      media,
      repair: options.repair,
      writes: this.#writes,
      clock,
      log,
      space: options.recordingSpace,
      folder: settings.recordingsFolder,
      checkOpen: () => this.#checkStarted(),
      onChange: (type, recording) => this.#notifications.recordingChanged(type, recording),
    })
    this.streams = new SessionStreams({
      projectId: room.project_id,
      roomId: room.id,
      sessionId: id,
      media,
      storage,
      writes: this.#writes,
      clock,
      log,
      sources: options.streamSources,
      checkOpen: () => this.#checkStarted(),
      onChange: (type, stream) => this.#notifications.streamChanged(type, stream),
    })
    this.#listenToMedia()
  }

  get projectId(): string {
    return this.room.project_id
  }

  get roomId(): string {
    return this.room.id
  }

  get name(): string {
    return this.room.name
  }

  get displayName(): string {
    return this.room.display_name ?? this.room.name
  }

  get members(): readonly Member[] {
    return this.#roster.members()
  }

  get runningRecordings(): readonly RecordingView[] {
    return this.recordings.running.filter((recording) => recording.startedAt !== null)
  }

  get runningStreams(): readonly StreamView[] {
    return this.streams.running.filter((stream) => stream.startedAt !== null)
  }

  get layout(): Layout {
    return this.#layout.layout
  }

  get layoutName(): string {
    return this.#layout.layoutName
  }

  get isEnded(): boolean {
    return this.#ended !== null
  }

  /** Whether the session is in storage. It is stored when the first member or viewer gets in. */
  get isStarted(): boolean {
    return this.#history.isStarted
  }

  /** Finds anybody with a seat, audience included. */
  member(id: string): Member | undefined {
    return this.#roster.get(id)
  }

  /** Everybody with a seat, audience included, in order of arrival. */
  everybody(): readonly Member[] {
    return this.#roster.all()
  }

  /**
   * Checks that neither the token nor this client is banned from the session.
   * @throws Refusal `not_permitted`
   */
  checkWelcome(grant: RoomTokenGrant, client: ClientIdentity): void {
    this.#tokens.checkNotBanned(tokenKey(grant), client)
  }

  /**
   * Takes a seat. The caller has already checked the token's validity times.
   * @throws Refusal `not_permitted`, `room_locked`, `seats_taken`, `media_failed`, `unavailable`, `session_ended`
   */
  join(request: JoinRequest): Promise<Member> {
    return this.#joins.join(request)
  }

  /**
   * Adds a screen share or device to a member.
   * @throws Refusal `provided_id_is_unrecognized` when the parent is gone, `seats_taken` when it has too many,
   * `media_failed`, `session_ended`
   */
  addChild(request: ChildRequest<LiveSession>): Promise<Member> {
    return this.#joins.addChild(request)
  }

  /**
   * Answers a new offer on an existing leg: a media update, an ICE restart or a page reload.
   * @throws Refusal `provided_id_is_unrecognized`, `media_failed`, `session_ended`
   */
  async renegotiate(legId: string, offer: string): Promise<string> {
    this.#checkOpen()
    return this.#legs.renegotiate(legId, offer)
  }

  /** Sends a member the full state again, as after its join. Called when its page was reloaded. */
  greetAgain(legId: string): void {
    const member = this.#legs.get(legId)?.member
    if (!member || !this.#roster.get(member.id)) return
    this.#notifications.greet(legId, member)
    this.#notifications.describeLayout(member.participant)
  }

  /** The client hung up one of its legs. */
  hangUp(legId: string): void {
    const leg = this.#legs.get(legId)
    if (!leg) return
    this.#legs.close(legId)
    if (this.#legs.of(leg.member).length === 0) this.#leave(leg.member, null)
  }

  /** Removes a member, a screen share, a device or a viewer without a ban. It may join again. */
  remove(member: Member, cause: EndCause): void {
    this.#leave(member, cause)
  }

  /** A moderator removes a member or viewer for the rest of the session; a screen share or device just ends. */
  expel(member: Member): void {
    if (member.isMain) this.#tokens.ban(member)
    this.#leave(member, 'removed')
  }

  /** Refuses this token for the rest of the session, and removes everybody who currently uses it. */
  voidToken(token: TokenKey, reason: VoidReason): void {
    this.#tokens.voidToken(token, reason)
    for (const member of this.#roster.withToken(token)) this.#leave(member, reason)
  }

  /** Keys of the tokens that members and viewers currently use. */
  get tokens(): TokenKey[] {
    return this.#tokens.inUse
  }

  /** The participant's socket dropped. Its seats are kept for the grace, and its media continue. */
  connectionLost(participant: Participant): void {
    if (this.isEnded) return
    this.#roster.absent(participant, this.#options.settings.reconnectGraceMs, () => {
      for (const member of this.#roster.of(participant)) this.#leave(member, 'connection_lost')
    })
  }

  /** The participant is connected again. Its grace ends, and it gets the state that it may have missed. */
  connectionBack(participant: Participant): void {
    this.#roster.present(participant)
    const seats = this.#roster.of(participant)
    if (seats.length === 0) return
    for (const member of seats) {
      this.#legs.giveTimeTo(member)
      this.#tokens.noteUse(member)
    }
    this.#notifications.describeMembers(participant)
    this.#notifications.describeLayout(participant)
  }

  /** Changes mutes, volumes and similar settings. Informs all participants of the differences, and the media worker. */
  change(member: Member, settings: Partial<MemberSettings>): void {
    const updated = member.change(settings)
    if (updated.length === 0 || !this.#roster.get(member.id)) return
    this.#legs.inBackground(this.#media.setMember(member.media))
    this.#notifications.memberUpdated(member, updated)
    if (updated.includes('video_muted')) this.#layout.arrange()
  }

  /**
   * Checks whether a member may continue with this token.
   * @throws Refusal `not_permitted`, `seats_taken`
   */
  checkRenewal(member: Member, grant: RoomTokenGrant): void {
    this.#tokens.checkRenewal(member, grant)
  }

  /**
   * The user has a new token for the same room. Its terms apply from now on, also to the user's screen shares and
   * devices.
   */
  renewTerms(member: Member, grant: RoomTokenGrant): void {
    this.#tokens.renew(member, grant)
    this.#removals.watch(member)
  }

  /** Current time of the session's clock, in Unix milliseconds. */
  get now(): number {
    return this.#clock.now()
  }

  /** Whether the database currently refuses the writes of this session. */
  get isStuck(): boolean {
    return this.#writes.isStuck
  }

  /** The rows that storage should have as open for this session. */
  get openRecords(): OpenRecords {
    const members = this.#roster.all().map((member) => this.#history.memberRecord(member))
    return {
      members: new Map(members.map((record) => [record.id, record])),
      calls: this.#history.openCalls,
      streams: new Map(this.streams.openRecords.map((record) => [record.id, record])),
    }
  }

  /** Writes what storage lacks, and an event that says it was missing. */
  mend(write: (storage: Repositories) => Promise<unknown>, payload: EventPayload<'history.mended'>): void {
    this.#writes.write(write, 'vital')
    this.#writes.event('history.mended', { level: 'warning', payload })
  }

  /** Stores the session again as in progress. */
  async restore(storage: Repositories): Promise<void> {
    await this.#history.restore(storage)
  }

  /** Locks or unlocks the session. A locked session refuses new joins. */
  setLocked(locked: boolean): void {
    if (this.locked === locked) return
    this.locked = locked
    this.#history.changed({ locked })
    this.#notifications.roomUpdated('locked')
  }

  /**
   * Ends the session for everybody.
   * @returns resolves when storage has the session as completed, or cannot accept the write now and will get it
   * later. Recordings are finished after that, see {@link finished}
   */
  end(reason: SessionEndReason, details: EventPayload<'room.ended'> = {}): Promise<void> {
    this.#ended ??= this.#end(reason, details)
    return this.#ended
  }

  /** Resolves when storage has everything that happened so far, or refuses to take it. */
  written(): Promise<void> {
    return this.#writes.flushedOrStuck()
  }

  /** Resolves when storage has everything that happened so far, however long that takes. */
  stored(): Promise<void> {
    return this.#writes.flushed()
  }

  /** When and why this session ended, as long as storage does not have it. Null otherwise. */
  get unwrittenEnd(): SessionHistory['unwrittenEnd'] {
    return this.#history.unwrittenEnd
  }

  /** Called when the server stops. Writes and repairs that fail now are left to its next start. */
  giveUp(): void {
    this.#writes.giveUp()
    this.recordings.giveUp()
  }

  /** Resolves when the recordings of an ended session are completed and its media room is closed. */
  get finished(): Promise<void> {
    return this.#finished
  }

  #checkOpen(): void {
    if (this.isEnded) throw new Refusal('session_ended')
  }

  #checkStarted(): void {
    this.#checkOpen()
    if (!this.isStarted) throw new Refusal('session_ended', 'The session has not begun. Join first.')
  }

  /** Stores the session, then starts its streams and, if the room says so, a recording. */
  async #start(): Promise<void> {
    await this.#history.start()
    if (this.isEnded) return
    void this.streams.sync()
    if (!this.room.record_on_start) return
    this.recordings.start().catch((error: unknown) => {
      this.#options.log.error({ err: error, sessionId: this.id }, 'recording on start failed')
    })
  }

  #seated(member: Member, { legId, participant }: JoinRequest): void {
    this.#removals.watch(member)
    this.#notifications.greet(legId, member)
    this.#announce(member)
    if (!participant.connected) this.connectionLost(participant)
  }

  /** Announces a newcomer to all participants. */
  #announce(member: Member): void {
    if (member.isAudience) {
      this.#notifications.describeLayout(member.participant)
      this.#notifications.audienceChanged()
      return
    }
    this.#notifications.memberJoined(member)
    this.#layout.arrange()
    if (!member.isMain) return
    this.#notifications.describeAudience(member.participant)
    this.#legs.inBackground(this.#media.playTone('entry'))
  }

  /** @param cause null if the client hung up by itself */
  #leave(member: Member, cause: EndCause | null): void {
    if (!this.#roster.delete(member)) return
    for (const child of this.#roster.childrenOf(member)) this.#leave(child, 'parent_left')
    this.#removals.forget(member)
    const legs = this.#legs.of(member)
    // An ended session closes its whole media room, after its recordings.
    if (!this.isEnded) this.#legs.disconnect(member)
    for (const leg of legs) if (cause !== null) member.participant.legEnded(leg.id, cause)
    this.#history.memberLeft(member, cause ?? 'left')
    if (this.isEnded) return
    this.#tellDeparture(member, cause)
    if (member.terms.endSessionOnLeave) {
      void this.end('member_left', { member_id: member.id, member_name: member.name })
    } else {
      this.#watchEmptiness()
    }
  }

  #tellDeparture(member: Member, cause: EndCause | null): void {
    if (member.isAudience) {
      this.#notifications.audienceChanged()
      return
    }
    this.#notifications.memberLeft(member, cause)
    this.#layout.arrange()
    if (member.isMain) this.#legs.inBackground(this.#media.playTone('exit'))
  }

  /**
   * Starts the grace when nobody is left. A session that never got its first member ends at once and leaves no
   * record.
   */
  #watchEmptiness(): void {
    this.#emptiness?.cancel()
    this.#emptiness = null
    if (!this.#roster.isEmpty || this.isEnded) return
    if (this.isStarted) {
      this.#emptiness = this.#clock.after(this.#options.settings.sessionGraceMs, () => void this.end('empty'))
    } else void this.end('empty')
  }

  async #end(reason: SessionEndReason, details: EventPayload<'room.ended'>): Promise<void> {
    // From here on, nobody may see the session as open. `end` replaces this promise with the real one.
    this.#ended = Promise.resolve()
    this.#emptiness?.cancel()
    this.#layout.close()
    this.#notifications.ended()
    for (const member of this.#roster.mains()) this.#leave(member, CAUSE_OF_END[reason])
    this.#legs.clear()
    this.#options.onEnded(this)
    this.streams.endAll()
    this.#history.ended(reason, details)
    this.#finished = this.#finish(reason)
    await this.#writes.flushedOrStuck()
  }

  async #finish(reason: SessionEndReason): Promise<void> {
    if (reason === 'media_worker_died') {
      await this.recordings.repairAll(reason)
    } else {
      await this.recordings.finishAll()
      await this.#media.close().catch((error: unknown) => {
        this.#options.log.warn({ err: error, sessionId: this.id }, 'media room not closed')
      })
    }
    this.#media.removeAllListeners()
    await this.#writes.flushedOrStuck()
  }

  #listenToMedia(): void {
    this.#media.on('talking', ({ memberId, talking }) => {
      const member = this.#roster.get(memberId)
      if (!member || member.talking === talking) return
      member.talking = talking
      this.#notifications.memberTalking(member)
    })
    this.#media.on('videoWanted', ({ legId, width, height, frameRate }) => {
      this.#legs.get(legId)?.member.participant.cameraWanted(legId, { width, height, frameRate })
    })
    this.#media.on('died', ({ reason }) => {
      this.#options.log.error({ sessionId: this.id, reason }, 'session lost its media worker')
      void this.end('media_worker_died', { detail: reason })
    })
  }

  #legLost(leg: Leg): void {
    const { member } = leg
    // While the socket is gone, the seat is kept for the whole grace, because a reloaded page brings new media.
    if (this.#roster.isAbsent(member.participant)) return
    if (this.#roster.get(member.id)) this.#leave(member, 'media_failed')
    else this.#legs.disconnect(member)
  }

  #layoutChanged(layout: Layout): void {
    this.#legs.inBackground(this.#media.setTiles(memberTiles(layout.layers)))
    this.#notifications.layoutChanged(layout)
  }
}
