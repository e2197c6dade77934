import type { LiveSession } from './live-session.ts'
import type { NamedRoom } from './room-owners.ts'

const keyOf = (room: NamedRoom) => `${room.project_id}/${room.name}`

const isRunning = ({ isStarted, isEnded }: LiveSession) => isStarted && !isEnded

/** The sessions of this server: those that are open, and those that are over but not yet finished. */
export class OpenSessions {
  /** By project and room name. */
  readonly #open = new Map<string, LiveSession>()
  /** Sessions being begun, by the same key. */
  readonly #opening = new Map<string, Promise<LiveSession>>()
  readonly #closing = new Set<LiveSession>()

  /** The open ones, in the order in which they began. */
  get open(): LiveSession[] {
    return [...this.#open.values()]
  }

  /** With those that are not yet finished. */
  get all(): LiveSession[] {
    return [...this.#open.values(), ...this.#closing]
  }

  /** The open session of a room, by its name. */
  in(room: NamedRoom): LiveSession | undefined {
    return this.#open.get(keyOf(room))
  }

  /** The open session of a room. Begins one if there is none: once, however many ask for it. */
  inOrBegun(room: NamedRoom, begin: () => Promise<LiveSession>): Promise<LiveSession> {
    const open = this.in(room)
    if (open) return Promise.resolve(open)
    const key = keyOf(room)
    const opening = this.#opening.get(key) ?? begin().finally(() => this.#opening.delete(key))
    this.#opening.set(key, opening)
    return opening
  }

  /** Resolves when all sessions that are being begun now are open or have failed. */
  async begun(): Promise<void> {
    await Promise.allSettled(this.#opening.values())
  }

  add(session: LiveSession): void {
    this.#open.set(keyOf(session.room), session)
  }

  /** The session is over. Its room may have another. */
  close(session: LiveSession): void {
    if (this.in(session.room) === session) this.#open.delete(keyOf(session.room))
    this.#closing.add(session)
  }

  /** The session is finished: nothing of it is left to write. */
  finish(session: LiveSession): void {
    this.#closing.delete(session)
  }

  /** Resolves when all is written of the earlier sessions of a room. */
  async writtenBefore(room: NamedRoom): Promise<void> {
    const before = [...this.#closing].filter((session) => keyOf(session.room) === keyOf(room))
    await Promise.all(before.map((session) => session.writes.flushed()))
  }

  find(projectId: string, sessionId: string): LiveSession | undefined {
    for (const session of this.#open.values()) {
      if (session.id === sessionId && session.projectId === projectId) return session
    }
    return undefined
  }

  /** An open session that has started. */
  running(projectId: string, sessionId: string): LiveSession | undefined {
    const session = this.find(projectId, sessionId)
    return session && isRunning(session) ? session : undefined
  }

  /** The open sessions of a project that have started. */
  runningOf(projectId: string): LiveSession[] {
    return this.open.filter((session) => session.projectId === projectId && isRunning(session))
  }

  /** The open sessions of a room: one, or for a moment none. */
  ofRoom(projectId: string, roomId: string): LiveSession[] {
    return this.open.filter((session) => session.projectId === projectId && session.roomId === roomId)
  }

  /** With those that are not yet finished. */
  allOfRoom(projectId: string, roomId: string): LiveSession[] {
    return this.all.filter((session) => session.projectId === projectId && session.roomId === roomId)
  }

  /** The session that has the recording, which it may still be finishing. */
  thatRecords(projectId: string, recordingId: string): LiveSession | undefined {
    return this.all.find((one) => one.projectId === projectId && one.recordings.has(recordingId))
  }
}
