import { type Clock, type SteadyClock, steadyClock } from '../../clock.ts'
import type { Claim } from '../../cluster/cluster.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { EventPayload } from '../../resources/event-names.ts'
import type { Meta, RoomRecord } from '../../storage/records.ts'
import type { Layout } from '../layouts/layout-types.ts'
import type { SessionDoor } from '../live-sessions.ts'
import type { RoomTokenGrant } from '../room-token.ts'
import { ChangeLog } from './change-log.ts'
import { ComposedPicture } from './composed-picture.ts'
import type { MemberRequest } from './join-request.ts'
import type { Member } from './member.ts'
import { ownershipFence } from './ownership-fence.ts'
import type { PlaybackView, RecordingView, SessionView, StreamView } from './participant.ts'
import { type RoomState, SessionChanges } from './session-changes.ts'
import { SessionConnections } from './session-connections.ts'
import type { SessionCounts } from './session-counts.ts'
import { SessionDepartures } from './session-departures.ts'
import { SessionEmptiness } from './session-emptiness.ts'
import { type OpenRecords, type SessionEndReason, SessionHistory } from './session-history.ts'
import { SessionJoins } from './session-joins.ts'
import { type ArrangementChange, SessionLayout } from './session-layout.ts'
import { SessionLegs } from './session-legs.ts'
import { listenToMedia } from './session-media-events.ts'
import { SessionNotifications } from './session-notifications.ts'
import { SessionOutputs, type SessionOutputsOptions } from './session-outputs.ts'
import type { SessionPlaybacks } from './session-playbacks.ts'
import { SessionPresence } from './session-presence.ts'
import { SessionQuality } from './session-quality.ts'
import { SessionReactions } from './session-reactions.ts'
import type { SessionRecordings } from './session-recordings.ts'
import { SessionRoles } from './session-roles.ts'
import { SessionRoster } from './session-roster.ts'
import type { SessionStreams } from './session-streams.ts'
import { SessionTokens } from './session-tokens.ts'
import { SessionWriteQueue } from './session-write-queue.ts'
import type { WriteQueueBudget } from './write-queue-budget.ts'

/** What the session gets for its recordings, streams and playbacks. */
type OutputParts =
  | 'room'
  | 'media'
  | 'repair'
  | 'storage'
  | 'log'
  | 'settings'
  | 'watchers'
  | 'recordingSpace'
  | 'fragments'
  | 'quotas'
  | 'streamSources'

export interface LiveSessionOptions extends Pick<SessionOutputsOptions, OutputParts> {
  id: string
  previewPath: string | null
  /** The claim of this node on the room; null without a cluster. */
  claim: Claim | null
  clock: Clock
  /** Memory budget for unwritten records, shared with the other sessions. */
  writeQueueBudget: WriteQueueBudget
  counts: SessionCounts
  /** Called once, when the session stops taking requests. */
  onEnded: (session: LiveSession) => void
}

/** Request to join as a member or as audience. */
export type JoinRequest = MemberRequest<LiveSession>

/** A running instance of a room. Requests take effect at once in memory. Disk and media worker follow later. */
export class LiveSession implements SessionView {
  readonly id: string
  readonly room: RoomRecord
  readonly joins: SessionJoins<LiveSession>
  readonly departures: SessionDepartures
  readonly roles: SessionRoles
  readonly tokens: SessionTokens
  readonly presence: SessionPresence
  readonly recordings: SessionRecordings
  readonly streams: SessionStreams
  readonly playbacks: SessionPlaybacks
  readonly history: SessionHistory
  readonly arrangement: SessionLayout
  readonly picture: ComposedPicture
  readonly writes: SessionWriteQueue
  readonly changes: SessionChanges
  readonly reactions: SessionReactions
  readonly quality: SessionQuality
  readonly previewPath: string | null
  readonly #options: LiveSessionOptions
  /** Settings that {@link changes} changes. */
  readonly #state: RoomState
  /** A steady clock: changes of the system time do not affect durations here. */
  readonly #clock: SteadyClock
  readonly #legs: SessionLegs
  readonly #roster: SessionRoster
  readonly #notifications: SessionNotifications
  readonly #changeLog: ChangeLog
  readonly #connections: SessionConnections
  readonly #emptiness: SessionEmptiness
  readonly #outputs: SessionOutputs
  #ended: Promise<void> | null = null
  #finished: Promise<void> = Promise.resolve()

  constructor(options: LiveSessionOptions) {
    const { id, room, media, storage, log, settings } = options
    const clock = steadyClock(options.clock)
    this.id = id
    this.room = room
    this.#state = {
      locked: false,
      hide_video_muted: false,
      prioritize_handraise: room.prioritize_handraise,
      meta: room.meta ?? {},
    }
    this.previewPath = options.previewPath
    this.#options = options
    this.#clock = clock
    const owner = { projectId: room.project_id, roomId: room.id, sessionId: id }
    const { claim } = options
    const writes = new SessionWriteQueue({
      storage,
      clock,
      log: log.child({ room: room.name }),
      owner,
      budget: options.writeQueueBudget,
      counts: options.counts,
      fence: claim && ownershipFence(owner, claim),
      onFenced: () => void this.end('ownership_lost'),
    })
    const history = new SessionHistory({ sessionId: id, room, writes, clock, claim })
    const roster = new SessionRoster({ member: room.max_members, audience: settings.maxAudience }, clock)
    const tokens = new SessionTokens({ room, roster, seatsPerToken: settings.seatsPerToken, clock })
    const watchers = options.watchers
    const notifications = new SessionNotifications({
      session: this,
      roster,
      watchers,
      clock,
      reconnectGraceMs: settings.reconnectGraceMs,
    })
    const layout = new SessionLayout({
      clock,
      layout: room.layout,
      options: () => ({ hideVideoMuted: this.hideVideoMuted, prioritizeHandraise: this.prioritizeHandraise }),
      speakersTakePlaces: settings.speakersTakePlaces,
      members: () => this.members,
      files: () => this.playbacks.placed,
      onRequest: (request) => history.arrangementRequested(request),
      onChange: (change) => this.#arranged(change),
    })
    const legs = new SessionLegs({
      sessionId: id,
      media,
      clock,
      log,
      checkOpen: () => this.#checkOpen(),
      onState: () => watchers.tellQuietly(this, 'connection'),
      onLost: (leg) => this.departures.legLost(leg),
      onClosed: (leg) => {
        history.callEnded(leg.id)
        this.#connections.mended(leg.member, leg.id)
      },
    })
    const isEnded = () => this.isEnded
    const changeLog = new ChangeLog(writes, clock, () => history.isStarted)
    const parts = {
      media,
      clock,
      log,
      roster,
      tokens,
      legs,
      history,
      notifications,
      layout,
      changeLog,
      isEnded,
    }
    this.changes = new SessionChanges({
      ...parts,
      room: this.#state,
      store: (changes) => history.changed(changes),
    })
    this.reactions = new SessionReactions(parts)
    this.#emptiness = new SessionEmptiness({
      clock,
      graceMs: settings.sessionGraceMs,
      isEmpty: () => roster.isEmpty && !this.isEnded,
      isStarted: () => this.isStarted,
      onOver: () => void this.end('empty'),
    })
    const quality = new SessionQuality({
      ...parts,
      sessionId: id,
      projectId: room.project_id,
      writes,
      onLevel: () => watchers.tellQuietly(this, 'connection'),
    })
    this.quality = quality
    this.#connections = new SessionConnections({ media, legs, history })
    const onGone = (member: Member) => {
      this.roles.forget(member)
      quality.forget(member)
      this.#connections.forget(member)
    }
    this.departures = new SessionDepartures({ ...parts, onGone, onLeft: (member) => this.#left(member) })
    const { departures } = this
    this.roles = new SessionRoles({ ...parts, room, departures, checkOpen: () => this.#checkOpen() })
    this.joins = new SessionJoins<LiveSession>({
      ...parts,
      session: this,
      sessionId: id,
      room,
      departures,
      isLocked: () => this.locked,
      checkOpen: () => this.#checkOpen(),
      onFirst: () => this.#start(),
      onUnderWay: (isUnderWay) => (isUnderWay ? this.#emptiness.cancel() : this.#emptiness.check()),
      onSeated: ({ participant }) => !participant.connected && this.presence.lost(participant),
    })
    this.presence = new SessionPresence({
      ...parts,
      session: this,
      connections: this.#connections,
      departures,
      watchers,
      reconnectGraceMs: settings.reconnectGraceMs,
    })
    this.#outputs = new SessionOutputs({
      ...options,
      ...parts,
      session: this,
      writes,
      checkStarted: () => this.#checkStarted(),
    })
    this.recordings = this.#outputs.recordings
    this.streams = this.#outputs.streams
    this.playbacks = this.#outputs.playbacks
    this.picture = new ComposedPicture(media, clock)
    this.writes = writes
    this.history = history
    this.tokens = tokens
    this.#roster = roster
    this.#notifications = notifications
    this.arrangement = layout
    this.#changeLog = changeLog
    this.#legs = legs
    listenToMedia({ ...parts, onDied: (reason) => this.#mediaDied(reason) })
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

  /** What those who have not joined yet find. */
  get door(): SessionDoor {
    return { isLocked: this.locked, isFull: this.#roster.isFull('member') }
  }

  get locked(): boolean {
    return this.#state.locked
  }

  get hideVideoMuted(): boolean {
    return this.#state.hide_video_muted
  }

  get prioritizeHandraise(): boolean {
    return this.#state.prioritize_handraise
  }

  get meta(): Meta {
    return this.#state.meta
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

  get runningPlaybacks(): readonly PlaybackView[] {
    return this.playbacks.running
  }

  get layout(): Layout {
    return this.arrangement.layout
  }

  get layoutName(): string {
    return this.arrangement.layoutName
  }

  get isEnded(): boolean {
    return this.#ended !== null
  }

  /** Whether the session is in storage. It is stored when the first member or viewer gets in. */
  get isStarted(): boolean {
    return this.history.isStarted
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
   * Answers a new offer on an existing leg: a media update, an ICE restart or a page reload.
   * @throws Refusal `provided_id_is_unrecognized`, `media_failed`, `session_ended`
   */
  async renegotiate(legId: string, offer: string): Promise<string> {
    this.#checkOpen()
    return this.#legs.renegotiate(legId, offer)
  }

  /**
   * The user has a new token for the same room. Its terms apply from now on, also to the user's screen shares and
   * devices.
   */
  renewTerms(member: Member, grant: RoomTokenGrant): void {
    this.tokens.renew(member, grant)
    this.departures.watchTime(member)
  }

  /** Number of those who watch. */
  get audienceCount(): number {
    return this.#roster.audienceCount
  }

  /** When it began, in Unix milliseconds. Null before that. */
  get startedAt(): number | null {
    return this.history.startedAt
  }

  /** Current time of the session's clock, in Unix milliseconds. */
  get now(): number {
    return this.#clock.now()
  }

  /** The rows that storage should have as open for this session. */
  get openRecords(): OpenRecords {
    const members = this.#roster.all().map((member) => this.history.memberRecord(member))
    return {
      members: new Map(members.map((record) => [record.id, record])),
      calls: this.history.openCalls,
      streams: new Map(this.streams.openRecords.map((record) => [record.id, record])),
    }
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

  /** Called when the server stops. Writes and repairs that fail now are left to its next start. */
  giveUp(): void {
    this.writes.giveUp()
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
    await this.history.start()
    if (this.isEnded) return
    this.#notifications.started()
    this.#outputs.start()
  }

  #left(member: Member): void {
    if (member.terms.endSessionOnLeave) {
      void this.end('member_left', { member_id: member.id, member_name: member.name })
    } else {
      this.#emptiness.check()
    }
  }

  async #end(reason: SessionEndReason, details: EventPayload<'room.ended'>): Promise<void> {
    // From here on, nobody may see the session as open. `end` replaces this promise with the real one.
    this.#ended = Promise.resolve()
    this.#emptiness.cancel()
    this.arrangement.close()
    this.#notifications.ended()
    this.departures.everybody(reason)
    this.#legs.clear()
    this.#options.onEnded(this)
    this.#outputs.end()
    this.#changeLog.closeAll()
    this.history.ended(reason, details)
    this.#finished = this.#finish(reason)
    await this.writes.flushedOrStuck()
  }

  async #finish(reason: SessionEndReason): Promise<void> {
    await this.#outputs.finish(reason === 'media_worker_died')
    await this.writes.flushedOrStuck()
  }

  #mediaDied(reason: string): void {
    this.#options.log.error({ sessionId: this.id, reason }, 'session lost its media worker')
    void this.end('media_worker_died', { detail: reason })
  }

  #arranged(change: ArrangementChange): void {
    this.#legs.inBackground(this.picture.compose(change.layout))
    this.#notifications.arranged(change)
  }
}
