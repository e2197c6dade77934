import type { Clock } from '../../clock.ts'
import type { SessionRegistry } from '../../rooms/sessions/session-registry.ts'
import { addFigures, type LiveFigures, liveFigures } from '../live-figures.ts'
import { type Changes, GatheredChanges } from './gathered-changes.ts'
import type { NewsExchange } from './news-exchange.ts'
import { frameOf, type News, type Topic } from './news-frames.ts'
import type { NewsReader } from './reader.ts'

/** Frames that are kept for those who come back. */
export const FRAMES_KEPT = 100
/**
 * The news of one project for all dashboards that show it. Figures are counted and frames encoded once, whoever many
 * read them.
 */
export class ProjectNews {
  readonly #projectId: string
  readonly #sessions: Pick<SessionRegistry, 'runningSessions' | 'watchers'>
  readonly #run: string
  readonly #gathered: GatheredChanges
  readonly #stopListening: () => void
  /** What runs on other nodes. */
  readonly #elsewhere = new Map<string, LiveFigures>()
  readonly #readers = new Set<NewsReader>()
  /** Newest last. The number of the last one is `#count`. */
  #frames: Buffer[] = []
  #count = 0
  #told: LiveFigures | null = null

  /** @param run tells the frames of this process from those of an earlier one */
  constructor(
    projectId: string,
    run: string,
    parts: {
      sessions: Pick<SessionRegistry, 'runningSessions' | 'watchers'>
      clock: Clock
      exchange: Pick<NewsExchange, 'listen'>
    },
  ) {
    this.#projectId = projectId
    this.#run = run
    this.#sessions = parts.sessions
    this.#gathered = new GatheredChanges(parts.clock, (changes) => this.#tell(changes))
    this.#sessions.watchers.add(projectId, this.#gathered)
    this.#stopListening = parts.exchange.listen(projectId, (node, { figures, ...changes }) => {
      this.#elsewhere.set(node, figures)
      this.#gathered.add(changes)
    })
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

  /** A request of the API changed something of this topic. */
  changed(topic: Topic): void {
    this.#gathered.add({ topics: [topic], sessions: [] })
  }

  /** A node is gone, and what ran there. */
  nodeGone(node: string): void {
    if (this.#elsewhere.delete(node)) this.changed('sessions')
  }

  /** Sends a frame that nobody has to get later. */
  send(frame: Buffer, toWhom: (reader: NewsReader) => boolean = () => true): void {
    for (const reader of this.#readers) if (toWhom(reader)) reader.send(frame)
  }

  stop(): void {
    this.#stopListening()
    this.#gathered.stop()
    this.#sessions.watchers.remove(this.#projectId, this.#gathered)
  }

  #tell(changes: Changes): void {
    const figures = this.#figures()
    if (!isSame(figures, this.#told)) this.#keep({ event: 'now', data: figures })
    this.#told = figures
    if (changes.topics.length > 0) this.#keep({ event: 'changed', data: changes })
  }

  #figures(): LiveFigures {
    return [...this.#elsewhere.values()].reduce(addFigures, liveFigures(this.#sessions, this.#projectId))
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
    this.#told ??= this.#figures()
    return frameOf({ event: 'snapshot', data: this.#told }, this.#id(this.#count))
  }
}

const isSame = (one: LiveFigures, other: LiveFigures | null) => JSON.stringify(one) === JSON.stringify(other)
