import type { ReportedEvent } from '../page/participant.ts'

interface Waiter {
  matches(event: ReportedEvent): boolean
  resolve(event: ReportedEvent): void
}

/** Every event that a participant's page has reported, and promises for later ones. */
export class EventLog {
  readonly #owner: string
  readonly #events: ReportedEvent[] = []
  readonly #waiters = new Set<Waiter>()

  constructor(owner: string) {
    this.#owner = owner
  }

  /** Adds an event. */
  add(event: ReportedEvent): void {
    this.#events.push(event)
    for (const waiter of this.#waiters) {
      if (!waiter.matches(event)) continue
      this.#waiters.delete(waiter)
      waiter.resolve(event)
    }
  }

  /** A position in the log. Pass it as `since` to look only at later events. */
  mark(): number {
    return this.#events.length
  }

  /** Events of that name from `since` on. */
  all(name: string, since = 0): ReportedEvent[] {
    return this.#events.slice(since).filter((event) => event.name === name)
  }

  /** The newest event of that name. */
  last(name: string): ReportedEvent | undefined {
    return this.#events.findLast((event) => event.name === name)
  }

  /**
   * The first event of that name from `since` on whose parameters are right. Waits if it has not come yet.
   * @throws after `timeoutMs`, with the events that did come
   */
  waitFor<T = unknown>(
    name: string,
    {
      right = () => true,
      since = 0,
      timeoutMs = 10_000,
    }: { right?: (params: T) => boolean; since?: number; timeoutMs?: number } = {},
  ): Promise<{ atMs: number; params: T }> {
    const matches = (event: ReportedEvent) => event.name === name && right(event.params as T)
    const found = this.#events.slice(since).find(matches)
    if (found !== undefined) return Promise.resolve(found as { atMs: number; params: T })
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        matches,
        resolve: (event) => {
          clearTimeout(timer)
          resolve(event as { atMs: number; params: T })
        },
      }
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter)
        reject(
          new Error(`${this.#owner} got no matching ${name} within ${timeoutMs} ms; it got:\n${this.tail()}`),
        )
      }, timeoutMs)
      this.#waiters.add(waiter)
    })
  }

  /** The last events, one per line. */
  tail(count = 25): string {
    return this.#events
      .slice(-count)
      .map(({ atMs, name, params }) => {
        const time = new Date(atMs).toISOString().slice(11, 23)
        return `${time} ${name} ${JSON.stringify(params)?.slice(0, 300)}`
      })
      .join('\n')
  }
}
