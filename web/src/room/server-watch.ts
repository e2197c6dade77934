import { fetchServerFacts } from '../server-facts.ts'
import { initialWatch, nextWatch, type WatchEffect, type WatchEvent } from './server-watch-machine.ts'

export interface ServerWatchEvents {
  /** The server has restarted: it does not know the call. */
  restarted: () => void
  /** The server does not answer. The next question is at `tryAtMs` (Unix milliseconds). Null: the server answers. */
  away: (tryAtMs: number | null) => void
}

/**
 * Finds out whether the call's server still runs while the client has lost its socket. The client itself notices
 * seconds later that its call is gone. {@link nextWatch} decides when to ask.
 */
export class ServerWatch {
  readonly #events: ServerWatchEvents
  #state = initialWatch
  #sessionId: string | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(events: ServerWatchEvents) {
    this.#events = events
  }

  /** The run of the server that the call belongs to; null while it is not known. */
  get run(): string | null {
    return this.#state.run
  }

  /** Stores the current run of the server. Call it when joining, and again once the session is known. */
  async remember(sessionId: string | null = null): Promise<void> {
    this.#sessionId = sessionId
    this.#take({ kind: 'remember', run: (await fetchServerFacts(sessionId))?.run ?? null })
  }

  /** The socket dropped. */
  begin(): void {
    this.#take({ kind: 'begin' })
  }

  /** The socket is back. Asks until it is known whether it belongs to the same run of the server. */
  socketBack(): void {
    this.#take({ kind: 'socket-back' })
  }

  /** Stops asking: the server is known to be the same, or the meeting is over. */
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
    const run = (await fetchServerFacts(this.#sessionId))?.run ?? null
    this.#take({ kind: 'answer', turn, run, nowMs: Date.now(), random: Math.random() })
  }
}
