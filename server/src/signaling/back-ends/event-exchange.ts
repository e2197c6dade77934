import { hash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { Interests } from '../../cluster/interests.ts'
import type { SessionEvent } from '../../rooms/sessions/participant.ts'
import type { SessionWatcher, SessionWatchers } from '../../rooms/sessions/session-watchers.ts'
import { encodedEvent } from '../wire-events.ts'
import type { BackEndSession } from './back-end-session.ts'
import { type EventElsewhere, eventElsewhere, ORIGIN_TO_FILL_IN } from './event-elsewhere.ts'

/** Events of one turn of the event loop travel together, up to so many characters. */
const MOST_TOGETHER = 200_000

export interface EventExchangeOptions {
  cluster: Cluster
  /** Those of this node. */
  watchers: SessionWatchers
  clock: Clock
}

/**
 * Brings back ends the events of all sessions of their projects, on whichever node a session runs. A node sends the others
 * the events of a project only while a back end of it is connected there.
 */
export class EventExchange {
  readonly #options: EventExchangeOptions
  readonly #interests: Interests
  /** The back ends of this node that watch, by project. */
  readonly #clients = new Map<string, Set<BackEndSession>>()
  /** Ends of what was begun for the projects of these. */
  readonly #ends = new Map<string, () => void>()
  /** By project: who takes its events for other nodes. */
  readonly #senders = new Map<string, Sender>()

  constructor(options: EventExchangeOptions) {
    this.#options = options
    const { cluster, watchers, clock } = options
    this.#interests = new Interests({
      cluster,
      clock,
      subject: 'back-ends',
      onWanted: (projectId) => {
        const sender = new Sender(cluster, clock, projectId)
        this.#senders.set(projectId, sender)
        watchers.add(projectId, sender)
      },
      onUnwanted: (projectId) => {
        const sender = this.#senders.get(projectId)
        if (sender) watchers.remove(projectId, sender)
        this.#senders.delete(projectId)
      },
    })
  }

  /** From now on the back end is told the events of its project. Adding it again changes nothing. */
  add(client: BackEndSession): void {
    const { projectId } = client
    this.#options.watchers.add(projectId, client)
    const known = this.#clients.get(projectId)
    if (known) known.add(client)
    else {
      this.#clients.set(projectId, new Set([client]))
      this.#ends.set(projectId, this.#listen(projectId))
    }
  }

  remove(client: BackEndSession): void {
    const { projectId } = client
    this.#options.watchers.remove(projectId, client)
    const clients = this.#clients.get(projectId)
    clients?.delete(client)
    if (clients?.size !== 0) return
    this.#clients.delete(projectId)
    this.#ends.get(projectId)?.()
    this.#ends.delete(projectId)
  }

  stop(): void {
    for (const end of this.#ends.values()) end()
    this.#interests.stop()
  }

  #listen(projectId: string): () => void {
    const { messages } = this.#options.cluster
    const unsubscribe = messages.subscribe(subjectOf(projectId), (events) => {
      for (const event of events as EventElsewhere[]) {
        for (const client of this.#clients.get(projectId) ?? []) client.eventElsewhere(event)
      }
    })
    const unwant = this.#interests.want(projectId)
    return () => {
      unsubscribe()
      unwant()
    }
  }
}

/** Sends the events of one project to other nodes. */
class Sender implements SessionWatcher {
  readonly #cluster: Cluster
  readonly #clock: Clock
  readonly #projectId: string
  #events: EventElsewhere[] = []
  #characters = 0

  constructor(cluster: Cluster, clock: Clock, projectId: string) {
    this.#cluster = cluster
    this.#clock = clock
    this.#projectId = projectId
  }

  sessionEvent(event: SessionEvent): void {
    const receiver = { origin: ORIGIN_TO_FILL_IN, callIdOf: () => undefined, authorizationIn: () => ({}) }
    const encoded = eventElsewhere(event, encodedEvent(event, receiver, this.#clock.now()))
    // After what is answered in this turn: whoever asked for something gets the answer before the events that it causes.
    if (this.#events.length === 0) setImmediate(() => this.#send())
    this.#events.push(encoded)
    this.#characters += encoded.frame.length
    if (this.#characters > MOST_TOGETHER) this.#send()
  }

  #send(): void {
    if (this.#events.length === 0) return
    this.#cluster.messages.publish(subjectOf(this.#projectId), this.#events)
    this.#events = []
    this.#characters = 0
  }
}

/** An id of a project may have characters that a subject may not. */
const subjectOf = (projectId: string): string => `back-ends.events.${hash('sha256', projectId).slice(0, 32)}`
