import { EVENT_NAMES } from '../resources/event-names.ts'
import type { SessionCounts } from '../rooms/sessions/session-counts.ts'
import { Counts, Durations } from './counts.ts'

/** What the interfaces and the sessions of the server count while they work, for `GET /metrics`. */
export class Tallies implements SessionCounts {
  /** Answers over HTTP. The route is a template such as `/api/video/rooms/:id`, or `none`. */
  readonly requests = new Counts<'method' | 'route' | 'status'>()
  readonly requestSeconds = new Durations<'route'>()
  /** Requests over WebSockets. The status is that of the answer, as in the protocol. */
  readonly webSocketRequests = new Counts<'method' | 'status'>()
  /** Joins. The result is `joined`, or the code of the refusal; the fault says whose it is. */
  readonly joins = new Counts<'result' | 'fault'>()
  readonly joinSeconds = new Durations()
  /** Events of the histories of sessions, by name. */
  readonly events = new Counts<'event'>()

  constructor() {
    // A count that appears with its first event looks to Prometheus as if nothing had happened.
    for (const event of EVENT_NAMES) this.events.of({ event })
    this.joins.of({ result: 'joined', fault: 'none' })
    this.joins.of({ result: 'failed', fault: 'ours' })
  }

  /** See {@link SessionCounts}. */
  join(result: string, fault: string, seconds: number): void {
    this.joins.add({ result, fault })
    this.joinSeconds.add(seconds, {})
  }

  event(name: string): void {
    this.events.add({ event: name })
  }
}
