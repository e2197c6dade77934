import { hash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { Interests } from '../../cluster/interests.ts'
import type { SessionRegistry } from '../../rooms/sessions/session-registry.ts'
import { type LiveFigures, liveFigures } from '../live-figures.ts'
import { type Changes, GatheredChanges } from './gathered-changes.ts'
import type { Topic } from './news-frames.ts'

/** What a node tells others about a project: what changed there, and what runs there now. */
export interface NodeNews extends Changes {
  figures: LiveFigures
}

export interface NewsExchangeOptions {
  cluster: Cluster
  sessions: Pick<SessionRegistry, 'runningSessions' | 'watchers'>
  clock: Clock
}

/** Brings the open dashboards of a project the news of all nodes. Nodes send them only where somebody reads. */
export class NewsExchange {
  readonly #options: NewsExchangeOptions
  readonly #interests: Interests
  /** Changes of projects that somebody reads about on another node. */
  readonly #wanted = new Map<string, GatheredChanges>()

  constructor(options: NewsExchangeOptions) {
    this.#options = options
    const { cluster, sessions, clock } = options
    this.#interests = new Interests({
      cluster,
      clock,
      subject: 'dashboards',
      onWanted: (projectId) => {
        const changes = new GatheredChanges(clock, (gathered) => this.#send(projectId, gathered))
        this.#wanted.set(projectId, changes)
        sessions.watchers.add(projectId, changes)
        this.#send(projectId, { topics: [], sessions: [] })
      },
      onUnwanted: (projectId) => {
        const changes = this.#wanted.get(projectId)
        if (!changes) return
        sessions.watchers.remove(projectId, changes)
        changes.stop()
        this.#wanted.delete(projectId)
      },
    })
  }

  /** @param onNews called with the news of other nodes. @returns ends it */
  listen(projectId: string, onNews: (node: string, news: NodeNews) => void): () => void {
    const { messages } = this.#options.cluster
    const unsubscribe = messages.subscribe(subjectOf(projectId), (news, from) =>
      onNews(from, news as NodeNews),
    )
    const unwant = this.#interests.want(projectId)
    return () => {
      unsubscribe()
      unwant()
    }
  }

  /** A request of the API to this node changed something. */
  changed(projectId: string, topic: Topic): void {
    this.#wanted.get(projectId)?.add({ topics: [topic], sessions: [] })
  }

  stop(): void {
    this.#interests.stop()
    for (const changes of this.#wanted.values()) changes.stop()
  }

  #send(projectId: string, changes: Changes): void {
    const { cluster, sessions } = this.#options
    const figures = liveFigures(sessions, projectId)
    cluster.messages.publish(subjectOf(projectId), { ...changes, figures } satisfies NodeNews)
  }
}

/** An id of a project may have characters that a subject may not. */
const subjectOf = (projectId: string): string => `dashboards.news.${hash('sha256', projectId).slice(0, 32)}`
