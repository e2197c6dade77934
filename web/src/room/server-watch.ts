import { fetchServerFacts } from '../server-facts.ts'
import { retryDelayMs } from './return-plan.ts'

const longestDelayMs = 3_000

export interface ServerWatchEvents {
  /** The server was started anew: it knows nothing of the call. */
  restarted: () => void
  /** The server does not answer, and is asked again then (Unix milliseconds). Null: it answers. */
  away: (tryAtMs: number | null) => void
}

/**
 * Asks after the server while the client has lost its socket, and once more when the socket is back: a server that starts
 * fast has its sockets back between two questions. The client itself finds out that its call is gone only seconds later.
 */
export class ServerWatch {
  readonly #events: ServerWatchEvents
  #run: string | null = null
  /** Counts the watches, so that an answer that comes late is dropped. Even: nothing is watched. */
  #turn = 0
  #attempts = 0
  #socketBack = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(events: ServerWatchEvents) {
    this.#events = events
  }

  /** Which run of the server the call is with; null while that is not known. */
  get run(): string | null {
    return this.#run
  }

  /** Remembers the present run of the server. Call it when joining. */
  async remember(): Promise<void> {
    this.#run = (await fetchServerFacts())?.run ?? null
  }

  /** The socket dropped. */
  begin(): void {
    this.#socketBack = false
    if (this.#turn % 2 === 1) return
    this.#turn++
    this.#attempts = 0
    void this.#ask()
  }

  /** The socket is back. Asks until it is known whether it leads to the same run of the server. */
  socketBack(): void {
    if (this.#turn % 2 === 0) return
    this.#socketBack = true
    this.#turn += 2
    clearTimeout(this.#timer)
    void this.#ask()
  }

  /** Stops asking: the server is the one that the call is with, or the meeting is over. */
  end(): void {
    if (this.#turn % 2 === 0) return
    this.#turn++
    clearTimeout(this.#timer)
    this.#events.away(null)
  }

  /** Asks at once. */
  tryNow(): void {
    if (this.#turn % 2 === 0 || this.#timer === undefined) return
    clearTimeout(this.#timer)
    void this.#ask()
  }

  async #ask(): Promise<void> {
    this.#timer = undefined
    const turn = this.#turn
    const facts = await fetchServerFacts()
    if (turn !== this.#turn) return
    if (facts && this.#run !== null && facts.run !== this.#run) return this.#events.restarted()
    if (facts && this.#socketBack) return this.end()
    const delayMs = Math.min(longestDelayMs, retryDelayMs(++this.#attempts, Math.random()))
    this.#events.away(facts ? null : Date.now() + delayMs)
    this.#timer = setTimeout(() => void this.#ask(), delayMs)
  }
}
