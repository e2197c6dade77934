import type { Clock, Timer } from '../../clock.ts'
import type { SessionEvent, SessionView } from '../../rooms/sessions/participant.ts'
import type { SessionRegistry } from '../../rooms/sessions/session-registry.ts'
import type { QuietChange, SessionWatcher } from '../../rooms/sessions/session-watchers.ts'
import { type LiveFigures, liveFigures } from '../live-figures.ts'
import { frameOf, type News, type Topic } from './news-frames.ts'
import type { NewsReader } from './reader.ts'

/** Changes within this time are told together, in milliseconds. */
export const TOGETHER_MS = 250
/** Frames that are kept for those who come back. */
export const FRAMES_KEPT = 100
/** Sessions that one frame names at most. With more, all are meant. */
const SESSIONS_NAMED = 50

const TOPIC_OF: Readonly<Partial<Record<SessionEvent['type'], Topic>>> = {
  room_started: 'sessions',
  room_updated: 'sessions',
  room_ended: 'sessions',
  member_joined: 'sessions',
  member_updated: 'sessions',
  member_left: 'sessions',
  layout_changed: 'sessions',
  audience_count: 'sessions',
  recording_started: 'recordings',
  recording_updated: 'recordings',
  recording_ended: 'recordings',
  stream_started: 'streams',
  stream_ended: 'streams',
}

/**
 * The news of one project for all dashboards that show it. Figures are counted and frames encoded once, whoever many
 * read them.
 */
export class ProjectNews implements SessionWatcher {
  readonly #projectId: string
  readonly #sessions: Pick<SessionRegistry, 'runningSessions' | 'watchers'>
  readonly #clock: Clock
  readonly #run: string
  readonly #readers = new Set<NewsReader>()
  readonly #topics = new Set<Topic>()
  readonly #changedSessions = new Set<string>()
  /** Newest last. The number of the last one is `#count`. */
  #frames: Buffer[] = []
  #count = 0
  #told: LiveFigures | null = null
  #pending: Timer | null = null

  /** @param run tells the frames of this process from those of an earlier one */
  constructor(
    projectId: string,
    run: string,
    parts: { sessions: Pick<SessionRegistry, 'runningSessions' | 'watchers'>; clock: Clock },
  ) {
    this.#projectId = projectId
    this.#run = run
    this.#sessions = parts.sessions
    this.#clock = parts.clock
    this.#sessions.watchers.add(projectId, this)
  }

  get readers(): ReadonlySet<NewsReader> {
    return this.#readers
  }

  /**
   * Adds a reader, who gets what it has missed, or the state if that is not known any more.
   * @param lastId id of the last frame that it has seen; null at first
   */
  add(reader: NewsReader, lastId: string | null): void {
    const missed = this.#missedSince(lastId)
    if (missed) for (const frame of missed) reader.send(frame)
    else reader.send(this.#snapshot())
    this.#readers.add(reader)
  }

  remove(reader: NewsReader): void {
    this.#readers.delete(reader)
  }

  sessionEvent({ type, session }: SessionEvent): void {
    const topic = TOPIC_OF[type]
    if (topic) this.changed(topic, session.id)
  }

  quietChange(session: SessionView, what: QuietChange): void {
    this.changed(what === 'stream' ? 'streams' : 'sessions', session.id)
  }

  /** Something of this topic changed. @param sessionId null if it is about no session */
  changed(topic: Topic, sessionId: string | null): void {
    this.#topics.add(topic)
    if (sessionId !== null) this.#changedSessions.add(sessionId)
    this.#pending ??= this.#clock.after(TOGETHER_MS, () => this.#tell())
  }

  /** Sends a frame that nobody has to get later. */
  send(frame: Buffer, toWhom: (reader: NewsReader) => boolean = () => true): void {
    for (const reader of this.#readers) if (toWhom(reader)) reader.send(frame)
  }

  stop(): void {
    this.#pending?.cancel()
    this.#sessions.watchers.remove(this.#projectId, this)
  }

  #tell(): void {
    this.#pending = null
    const figures = liveFigures(this.#sessions, this.#projectId)
    if (!isSame(figures, this.#told)) this.#keep({ event: 'now', data: figures })
    this.#told = figures
    const sessions = [...this.#changedSessions]
    this.#keep({
      event: 'changed',
      data: { topics: [...this.#topics], sessions: sessions.length > SESSIONS_NAMED ? [] : sessions },
    })
    this.#topics.clear()
    this.#changedSessions.clear()
  }

  #keep(news: News): void {
    const frame = frameOf(news, this.#id(++this.#count))
    this.#frames.push(frame)
    if (this.#frames.length > FRAMES_KEPT) this.#frames = this.#frames.slice(-FRAMES_KEPT)
    this.send(frame)
  }

  /** The frames behind this id; null if some of them are not kept any more, or the id is of another run. */
  #missedSince(lastId: string | null): Buffer[] | null {
    const [run, number] = lastId?.split('-') ?? []
    if (run !== this.#run || !/^\d{1,15}$/.test(number ?? '')) return null
    const missed = this.#count - Number(number)
    if (missed < 0 || missed > this.#frames.length) return null
    return missed === 0 ? [] : this.#frames.slice(-missed)
  }

  #id(number: number): string {
    return `${this.#run}-${number}`
  }

  #snapshot(): Buffer {
    this.#told ??= liveFigures(this.#sessions, this.#projectId)
    return frameOf({ event: 'snapshot', data: this.#told }, this.#id(this.#count))
  }
}

const isSame = (one: LiveFigures, other: LiveFigures | null) => JSON.stringify(one) === JSON.stringify(other)
