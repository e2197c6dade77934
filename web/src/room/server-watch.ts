import { fetchServerFacts } from '../server-facts.ts'
import { initialWatch, nextWatch, type WatchEffect, type WatchEvent } from './server-watch-machine.ts'

export interface ServerWatchEvents {
  /** The server was started anew: it knows nothing of the call. */
  restarted: () => void
  /** The server does not answer, and is asked again then (Unix milliseconds). Null: it answers. */
  away: (tryAtMs: number | null) => void
}

/**
 * Finds out whether the server that the call is with still runs, while the client has lost its socket. The client itself
 * finds out that its call is gone only seconds later. When to ask is up to {@link nextWatch}.
 */
export class ServerWatch {
  readonly #events: ServerWatchEvents
  #state = initialWatch
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(events: ServerWatchEvents) {
    this.#events = events
  }

  /** Which run of the server the call is with; null while that is not known. */
  get run(): string | null {
    return this.#state.run
  }

  /** Remembers the present run of the server. Call it when joining. */
  async remember(): Promise<void> {
    this.#take({ kind: 'remember', run: (await fetchServerFacts())?.run ?? null })
  }

  /** The socket dropped. */
  begin(): void {
    this.#take({ kind: 'begin' })
  }

  /** The socket is back. Asks until it is known whether it leads to the same run of the server. */
  socketBack(): void {
    this.#take({ kind: 'socket-back' })
  }

  /** Stops asking: the server is the one that the call is with, or the meeting is over. */
  end(): void {
    this.#take({ kind: 'end' })
  }

  /** Asks at once. */
  tryNow(): void {
    this.#take({ kind: 'try-now' })
  }

  #take(event: WatchEvent): void {
    const [state, effects] = nextWatch(this.#state, event)
    this.#state = state
    for (const effect of effects) this.#do(effect)
  }

  #do(effect: WatchEffect): void {
    switch (effect.do) {
      case 'ask':
        void this.#ask(effect.turn)
        break
      case 'wait':
        this.#timer = setTimeout(() => this.#take({ kind: 'due' }), effect.delayMs)
        break
      case 'stop-waiting':
        clearTimeout(this.#timer)
        break
      case 'tell-restarted':
        this.#events.restarted()
        break
      case 'tell-away':
        this.#events.away(effect.tryAtMs)
    }
  }

  async #ask(turn: number): Promise<void> {
    const run = (await fetchServerFacts())?.run ?? null
    this.#take({ kind: 'answer', turn, run, nowMs: Date.now(), random: Math.random() })
  }
}
