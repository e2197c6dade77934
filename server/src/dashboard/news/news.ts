import { randomBytes } from 'node:crypto'
import type { Clock, Timer } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import type { MediaPlane } from '../../media/media-plane.ts'
import type { SessionRegistry } from '../../rooms/sessions/session-registry.ts'
import { NewsExchange } from './news-exchange.ts'
import { frameOf, HEARTBEAT, type Topic } from './news-frames.ts'
import { ProjectNews } from './project-news.ts'
import { NewsReader } from './reader.ts'

/** Interval of the load of media workers. */
const LOAD_MS = 2000
/** Proxies close a connection on which nothing comes for about a minute. */
const HEARTBEAT_MS = 15_000
/**
 * How long a stream lasts. Then the client comes back, and its credentials are looked at again: they may be void
 * meanwhile.
 */
export const STREAM_MS = 5 * 60_000
/** The news of a project outlive its last reader by this, so that one who comes back finds what was missed. */
const KEPT_MS = 60_000

/** The event streams of all open dashboards. Work is done once for each project, and none without a reader. */
export interface DashboardNews {
  /**
   * Opens a stream.
   * @param lastId id of the last frame that the client has seen; null at first
   * @param seesServer whether the caller may know of the server as a whole
   * @returns the body of the answer, which ends by itself; destroy it when the client is gone
   */
  open(projectId: string, lastId: string | null, seesServer: boolean): NewsReader
  /** A request of the API changed something. */
  changed(projectId: string, topic: Topic): void
  /** Number of open streams. */
  readonly readers: number
  /** Ends all streams. */
  stop(): void
}

export interface NewsOptions {
  sessions: Pick<SessionRegistry, 'runningSessions' | 'watchers'>
  media: Pick<MediaPlane, 'workers'>
  clock: Clock
  cluster: Cluster
}

/** Creates the event streams. They do nothing until one is opened; whoever creates them stops them. */
export function createNews(options: NewsOptions): DashboardNews {
  return new News(options)
}

class News implements DashboardNews {
  readonly #options: NewsOptions
  readonly #run = randomBytes(6).toString('hex')
  readonly #projects = new Map<string, ProjectNews>()
  readonly #forgetting = new Map<string, Timer>()
  readonly #exchange: NewsExchange
  readonly #stopListening: () => void
  #load: Timer | null = null
  #heartbeat: Timer | null = null
  #isStopped = false

  constructor(options: NewsOptions) {
    this.#options = options
    this.#exchange = new NewsExchange(options)
    this.#stopListening = options.cluster.nodes.onGone(({ name }) => {
      for (const project of this.#projects.values()) project.nodeGone(name)
    })
  }

  get readers(): number {
    return [...this.#projects.values()].reduce((sum, { readers }) => sum + readers.size, 0)
  }

  open(projectId: string, lastId: string | null, seesServer: boolean): NewsReader {
    const { clock } = this.#options
    const project = this.#project(projectId)
    const end = clock.after(STREAM_MS, () => reader.end())
    const reader = new NewsReader(seesServer, () => {
      end.cancel()
      project.remove(reader)
      this.#forgetLater(projectId)
    })
    if (this.#isStopped) reader.end()
    project.add(reader, lastId)
    if (seesServer) reader.send(this.#loadFrame())
    this.#load ??= clock.after(LOAD_MS, () => this.#tellLoad())
    this.#heartbeat ??= clock.after(HEARTBEAT_MS, () => this.#beat())
    return reader
  }

  changed(projectId: string, topic: Topic): void {
    this.#projects.get(projectId)?.changed(topic)
    this.#exchange.changed(projectId, topic)
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of [this.#load, this.#heartbeat, ...this.#forgetting.values()]) timer?.cancel()
    for (const project of this.#projects.values()) {
      for (const reader of project.readers) reader.end()
      project.stop()
    }
    this.#stopListening()
    this.#exchange.stop()
  }

  #project(id: string): ProjectNews {
    this.#forgetting.get(id)?.cancel()
    this.#forgetting.delete(id)
    const known = this.#projects.get(id) ?? this.#newProject(id)
    this.#projects.set(id, known)
    return known
  }

  #newProject(id: string): ProjectNews {
    return new ProjectNews(id, this.#run, { ...this.#options, exchange: this.#exchange })
  }

  #forgetLater(id: string): void {
    if (this.#isStopped || this.#projects.get(id)?.readers.size !== 0) return
    this.#forgetting.get(id)?.cancel()
    const timer = this.#options.clock.after(KEPT_MS, () => {
      this.#projects.get(id)?.stop()
      this.#projects.delete(id)
      this.#forgetting.delete(id)
    })
    this.#forgetting.set(id, timer)
  }

  #tellLoad(): void {
    this.#load = null
    if (this.readers === 0) return
    this.#load = this.#options.clock.after(LOAD_MS, () => this.#tellLoad())
    const frame = this.#loadFrame()
    for (const project of this.#projects.values()) project.send(frame, ({ seesServer }) => seesServer)
  }

  #loadFrame(): Buffer {
    return frameOf({ event: 'workers', data: this.#options.media.workers }, null)
  }

  #beat(): void {
    this.#heartbeat = null
    if (this.readers === 0) return
    this.#heartbeat = this.#options.clock.after(HEARTBEAT_MS, () => this.#beat())
    for (const project of this.#projects.values()) project.send(HEARTBEAT)
  }
}
