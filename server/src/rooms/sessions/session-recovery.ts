import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { Claim, Cluster } from '../../cluster/cluster.ts'
import { newId } from '../../ids.ts'
import type { RepairedRecording } from '../../media/channel.ts'
import type { MediaPlane } from '../../media/media-plane.ts'
import type { ListCursor } from '../../storage/list-page.ts'
import type { EventRecord, RecordingRecord, SessionRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import type { RecordingFragments } from '../stored-recordings/recording-fragments.ts'
import type { NamedRoom } from './room-owners.ts'
import { forgetUnwrittenEnds, readUnwrittenEnds, type UnwrittenEnd } from './unwritten-ends.ts'

/** A place after all rows of a list that is sorted oldest first. */
const END_OF_LIST: ListCursor = { at: Number.MAX_SAFE_INTEGER, id: '', direction: 'before' }

export interface RecoveryOptions {
  storage: Storage
  media: Pick<MediaPlane, 'repairRecording'>
  clock: Clock
  log: Logger
  cluster: Pick<Cluster, 'nodes' | 'claims'>
  /** What recordings have in the store of objects; null without one. */
  fragments: Pick<RecordingFragments, 'bringBack'> | null
  /** Whether this process runs the session, or is still finishing it. */
  isRunningHere: (sessionId: string) => boolean
  /** Absolute path of the recordings folder. */
  recordingsFolder: string
}

/**
 * Completes the sessions and recordings that a killed server left. If it is interrupted itself, it starts over at the
 * next start.
 */
export class SessionRecovery {
  readonly #options: RecoveryOptions
  /** Ids of recordings that are being repaired. */
  readonly #repairing = new Set<string>()

  constructor(options: RecoveryOptions) {
    this.#options = options
  }

  /** Completes the sessions that were in progress. Their end is the time when they were last known to run. */
  async completeSessions(): Promise<void> {
    const all = await this.#options.storage.sessions.listInProgress()
    const sessions = all.filter((session) => this.isOfThisNode(session))
    const ends = await readUnwrittenEnds(this.#options.recordingsFolder)
    // All at once, so that storage commits them in groups. Nobody can join before the last one is done.
    await Promise.all(sessions.map((session) => this.completeSession(session, ends.get(session.id))))
    if (ends.size > 0) await forgetUnwrittenEnds(this.#options.recordingsFolder)
    if (sessions.length > 0) {
      this.#options.log.warn(
        { sessions: sessions.length },
        'completed sessions that the last run left behind',
      )
    }
  }

  /** Completes the session in progress of a room that this node owns. Does nothing if that session runs here. */
  async completeRoom(room: NamedRoom, claim: Claim): Promise<void> {
    const left = await this.#options.storage.sessions.findActiveByName(room.project_id, room.name)
    if (left && !this.#options.isRunningHere(left.id)) await this.completeSession(left, undefined, claim)
  }

  /** Repairs interrupted recordings and completes them, one after the other. The reconciler tries failed ones again. */
  async repairRecordings(): Promise<void> {
    const { storage } = this.#options
    for (const recording of await storage.recordings.listInterrupted()) {
      try {
        if (await this.mayRepair(recording)) await this.repairRecording(recording)
      } catch (error) {
        this.#options.log.error(
          { err: error, recordingId: recording.id },
          'recording could not be repaired yet',
        )
      }
    }
  }

  /**
   * Completes a session that no server runs. Does nothing if somebody else completed it meanwhile.
   * @param end the known end; by default the time when the session was last known to run
   * @param claim that of this node on the room. The session's owner cannot write any more then
   */
  async completeSession(session: SessionRecord, end?: UnwrittenEnd, claim?: Claim): Promise<void> {
    const { storage, clock } = this.#options
    const { id, project_id } = session
    const owner_revision = claim
      ? Math.max(claim.revision, session.owner_revision ?? 0)
      : session.owner_revision
    const endedAt = end?.endedAt ?? (await this.#lastSignOfLife(session))
    const event = this.#event(session, {
      name: 'room.ended',
      payload: {
        reason: end?.reason ?? 'server_interrupted',
        ended_at: new Date(endedAt).toISOString(),
        duration_ms: Math.max(0, endedAt - (session.start_time ?? endedAt)),
        ...(session.owner_node !== null && { node: session.owner_node }),
      },
    })
    await storage.transaction(async (tx) => {
      const changes = { end_time: endedAt, updated_at: clock.now(), owner_revision }
      if (!(await tx.sessions.complete(project_id, id, changes))) return
      await tx.members.closeAll(project_id, id, endedAt)
      await tx.streamRuns.closeAll(project_id, id, endedAt)
      await tx.calls.closeAll(project_id, id, endedAt)
      await tx.events.append(event)
    })
  }

  /** Whether this node is the one to repair a recording that nobody records any more. */
  async mayRepair({ id, project_id, room_session_id }: RecordingRecord): Promise<boolean> {
    const session = await this.#options.storage.sessions.find(project_id, room_session_id)
    if (!session || this.isOfThisNode(session)) return true
    return session.status === 'completed' && this.#takeOver(id, session.owner_node ?? '')
  }

  /** Whether this node ran the session, and so has its files. */
  isOfThisNode({ owner_node }: Pick<SessionRecord, 'owner_node'>): boolean {
    return owner_node === null || owner_node === this.#options.cluster.nodes.self.name
  }

  /** A node that is gone does not complete its recordings. One of the others does, from their fragments. */
  async #takeOver(recordingId: string, node: string): Promise<boolean> {
    const { cluster, fragments } = this.#options
    if (!fragments || cluster.nodes.find(node)) return false
    const claim = await cluster.claims.claim(`recording.${recordingId}`)
    return claim.node === cluster.nodes.self.name
  }

  /**
   * Time of the last sign of life. Events after the last heartbeat count, so that no member leaves before it has
   * joined.
   */
  async #lastSignOfLife({ id, project_id, alive_at }: SessionRecord): Promise<number> {
    const lastEvent = { limit: 1, cursor: END_OF_LIST }
    const { rows } = await this.#options.storage.events.list(project_id, { sessionId: id }, lastEvent)
    return Math.max(alive_at, rows[0]?.created_at ?? 0)
  }

  /** Repairs a recording that nobody is recording any more. Does nothing if that repair is already under way. */
  async repairRecording(recording: RecordingRecord): Promise<void> {
    if (this.#repairing.has(recording.id)) return
    this.#repairing.add(recording.id)
    try {
      await this.#repairRecording(recording)
    } finally {
      this.#repairing.delete(recording.id)
    }
  }

  async #repairRecording(recording: RecordingRecord): Promise<void> {
    const { storage, clock, recordingsFolder } = this.#options
    const { id, project_id, room_session_id } = recording
    await storage.recordings.update(project_id, id, { status: 'processing', updated_at: clock.now() })
    const session = await storage.sessions.find(project_id, room_session_id)
    const repaired = await this.#repairFile(join(recordingsFolder, recording.file))
    const durationMs = repaired?.durationMs ?? 0
    const sizeInBytes = repaired?.sizeInBytes ?? 0
    const event = this.#event(session ?? { id: room_session_id, project_id, room_id: null }, {
      name: repaired ? 'recording.completed' : 'recording.failed',
      level: repaired ? 'warning' : 'error',
      room_recording_id: id,
      payload: {
        recording_id: id,
        reason: repaired ? 'server_interrupted' : 'nothing of it can be played',
        duration_ms: durationMs,
        size_in_bytes: sizeInBytes,
      },
    })
    await storage.transaction(async (tx) => {
      await tx.recordings.update(project_id, id, {
        status: 'completed',
        finished_at: recording.finished_at ?? finishTime(recording, session, durationMs),
        duration_ms: durationMs,
        size_in_bytes: sizeInBytes,
        updated_at: clock.now(),
      })
      await tx.events.append(event)
    })
  }

  /** What a lost disk had is joined from its fragments first. */
  async #repairFile(file: string): Promise<RepairedRecording | null> {
    await this.#options.fragments?.bringBack(basename(file))
    return this.#options.media.repairRecording(file)
  }

  #event(
    session: Pick<SessionRecord, 'id' | 'project_id' | 'room_id'>,
    details: Pick<EventRecord, 'name' | 'payload'> & Partial<EventRecord>,
  ): EventRecord {
    return {
      id: newId(),
      project_id: session.project_id,
      room_id: session.room_id,
      room_session_id: session.id,
      room_recording_id: null,
      room_participant_id: null,
      level: 'error',
      created_at: this.#options.clock.now(),
      ...details,
    }
  }
}

/** End of an interrupted recording: the end of its session. This is true even if the recording was paused meanwhile. */
function finishTime(
  recording: RecordingRecord,
  session: SessionRecord | undefined,
  durationMs: number,
): number {
  const shortest = (recording.started_at ?? recording.created_at) + durationMs
  return Math.max(shortest, session?.end_time ?? 0)
}
