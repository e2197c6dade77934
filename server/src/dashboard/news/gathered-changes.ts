import type { Clock, Timer } from '../../clock.ts'
import type { SessionEvent, SessionView } from '../../rooms/sessions/participant.ts'
import type { QuietChange, SessionWatcher } from '../../rooms/sessions/session-watchers.ts'
import type { Topic } from './news-frames.ts'

/** Changes within this time are told together, in milliseconds. */
export const TOGETHER_MS = 250
/** Sessions that are named together at most. With more, all are meant. */
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

/** What changed in a project. */
export interface Changes {
  topics: Topic[]
  /** Empty if all are meant. */
  sessions: string[]
}

/** Gathers what changes in a project for a moment, so that it is told together. */
export class GatheredChanges implements SessionWatcher {
  readonly #clock: Clock
  readonly #tell: (changes: Changes) => void
  readonly #topics = new Set<Topic>()
  readonly #sessions = new Set<string>()
  #pending: Timer | null = null

  constructor(clock: Clock, tell: (changes: Changes) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  sessionEvent({ type, session }: SessionEvent): void {
    const topic = TOPIC_OF[type]
    if (topic) this.add({ topics: [topic], sessions: [session.id] })
  }

  quietChange(session: SessionView, what: QuietChange): void {
    this.add({ topics: [what === 'stream' ? 'streams' : 'sessions'], sessions: [session.id] })
  }

  /** Something of these topics changed. */
  add({ topics, sessions }: Changes): void {
    for (const topic of topics) this.#topics.add(topic)
    for (const id of sessions) this.#sessions.add(id)
    this.#pending ??= this.#clock.after(TOGETHER_MS, () => this.#tellNow())
  }

  stop(): void {
    this.#pending?.cancel()
  }

  #tellNow(): void {
    this.#pending = null
    const sessions = [...this.#sessions]
    const changes = { topics: [...this.#topics], sessions: sessions.length > SESSIONS_NAMED ? [] : sessions }
    this.#topics.clear()
    this.#sessions.clear()
    this.#tell(changes)
  }
}
