import { type Clock, containedClock } from '../../clock.ts'
import type { Claim, Cluster } from '../../cluster/cluster.ts'
import type { Containment } from '../../containment.ts'
import { newId } from '../../ids.ts'
import type { MediaPlane } from '../../media/media-plane.ts'
import type { RoomRecord } from '../../storage/records.ts'
import type { Broadcasts } from '../hls/broadcasts.ts'
import type { Previews } from '../previews.ts'
import { LiveSession, type LiveSessionOptions } from './live-session.ts'
import { openMediaRoom } from './open-media-room.ts'
import type { OpenSessions } from './open-sessions.ts'
import type { RoomOwners } from './room-owners.ts'
import type { RoomsByToken } from './rooms-by-token.ts'
import type { SessionRecovery } from './session-recovery.ts'

/** What all sessions of a node have in common. */
type Common =
  | 'storage'
  | 'log'
  | 'settings'
  | 'watchers'
  | 'writeQueueBudget'
  | 'counts'
  | 'recordingSpace'
  | 'fragments'
  | 'quotas'
  | 'streamSources'

export interface SessionFactoryOptions extends Pick<LiveSessionOptions, Common> {
  cluster: Pick<Cluster, 'isAlone' | 'claims'>
  media: MediaPlane
  previews: Pick<Previews, 'file' | 'link'>
  broadcasts: Pick<Broadcasts, 'folder' | 'add' | 'end'>
  clock: Clock
  /** Contains the faults of timers of one session. */
  containment: Containment
  owners: RoomOwners
  rooms: RoomsByToken
  recovery: SessionRecovery
  /** Where each session is listed from its beginning until nothing of it is left to write. */
  sessions: OpenSessions
  /** Called when a session was added to the open ones. */
  onBegun: () => void
}

/** Begins the sessions of a node, and clears up after each that ends. */
export class SessionFactory {
  readonly #options: SessionFactoryOptions

  constructor(options: SessionFactoryOptions) {
    this.#options = options
  }

  /**
   * Begins a session of a room, and owns the room for it.
   * @throws Refusal `unavailable` when another node owns the room or no media worker answers, `server_full`
   */
  async begin(room: RoomRecord): Promise<LiveSession> {
    const { owners } = this.#options
    const user = {}
    const claim = await owners.use(room, user)
    try {
      return await this.#beginOwned(room, claim, user)
    } catch (error) {
      owners.leave(room, user)
      throw error
    }
  }

  async #beginOwned(room: RoomRecord, claim: Claim, user: object): Promise<LiveSession> {
    const { storage, cluster, rooms, sessions, onBegun } = this.#options
    await rooms.fromDatabase(this.#completeBefore(room, claim))
    const session = await this.#create(room, claim, user)
    sessions.add(session)
    onBegun()
    // If the room was deleted while the session was being begun, the deletion did not find this session.
    if (!(await storage.rooms.find(room.project_id, room.id))) void session.end('room_deleted')
    if (!cluster.claims.held(claim.key)) void session.end('ownership_lost')
    return session
  }

  /** Storage allows one session in progress per room name, so the previous one must be completed there first. */
  async #completeBefore(room: RoomRecord, claim: Claim): Promise<void> {
    await this.#options.sessions.writtenBefore(room)
    await this.#options.recovery.completeRoom(room, claim)
  }

  async #create(room: RoomRecord, claim: Claim, user: object): Promise<LiveSession> {
    const { media, previews, broadcasts, clock, cluster, containment } = this.#options
    const id = newId()
    const mediaRoom = await openMediaRoom(this.#options, id, room)
    mediaRoom.on('hlsPart', (part) => broadcasts.add(id, part))
    const { project_id, enable_room_previews } = room
    return new LiveSession({
      ...this.#options,
      id,
      room,
      media: mediaRoom,
      previewPath: previews.link({ id, project_id, enable_room_previews, status: 'in-progress' }),
      claim: cluster.isAlone ? null : claim,
      repair: (file) => media.repairRecording(file),
      clock: containedClock(clock, containment, { sessionId: id }),
      onEnded: (ended) => this.#ended(ended, user),
    })
  }

  #ended(session: LiveSession, user: object): void {
    const { broadcasts, sessions, owners, log } = this.#options
    if (session.room.enable_hls) broadcasts.end(session.id)
    sessions.close(session)
    void session
      .end('empty')
      .then(() => session.finished)
      .then(() => session.writes.flushed())
      .catch((error: unknown) =>
        log.error({ err: error, sessionId: session.id }, 'session not ended properly'),
      )
      .finally(() => {
        sessions.finish(session)
        owners.leave(session.room, user)
      })
  }
}
