import type { Clock, Timer } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { type SteadyClock, Window, windowNumber } from './window.ts'

/** How often nodes tell each other what they have counted. */
const TELL_MS = 250
/** Keys in one message. What is beyond them waits for the next one. */
const MOST_KEYS = 2000
const SUBJECT = 'limits.counted'

/** What a node has counted since its last message: numbers by key, by what is counted. */
interface Counted {
  /** Number of the window, see {@link windowNumber}. */
  window: number
  counts: Record<string, Record<string, number>>
}

/**
 * Lets all nodes of a cluster count together. Each counts at once what it sees, and hears of what the others saw up to a quarter of a second
 * later. So a limit may be exceeded by what the other nodes admit in that time, and as long as NATS is away, each node
 * has the limit for itself. All nodes begin their windows at the same minute of their clocks.
 */
export class CountExchange {
  readonly #cluster: Cluster
  readonly #clock: Clock
  readonly #heard = new Map<string, (key: string, count: number) => void>()
  readonly #untold = new Map<string, Map<string, number>>()
  readonly #end: () => void
  #timer: Timer | null = null

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster
    this.#clock = clock
    this.#end = cluster.messages.subscribe(SUBJECT, (counted) => this.#take(counted as Counted))
  }

  /**
   * Values per key within a minute: of all nodes the same one, if there are several.
   * @param nowMs clock of a server that has no others
   */
  newWindow<T>(nowMs?: SteadyClock): Window<T> {
    return this.#cluster.isAlone ? new Window<T>(nowMs) : new Window<T>(() => this.#clock.now(), true)
  }

  /**
   * Shares what is counted under this name.
   * @param onHeard takes what another node has counted in the present window
   * @returns tells the others what was counted here
   */
  share(name: string, onHeard: (key: string, count: number) => void): (key: string, count: number) => void {
    this.#heard.set(name, onHeard)
    if (this.#cluster.isAlone) return () => {}
    return (key, count) => {
      const counts = this.#untold.get(name) ?? new Map<string, number>()
      this.#untold.set(name, counts.set(key, (counts.get(key) ?? 0) + count))
      this.#timer ??= this.#clock.after(TELL_MS, () => this.#tell())
    }
  }

  stop(): void {
    this.#timer?.cancel()
    this.#end()
  }

  #tell(): void {
    this.#timer = null
    const counted: Counted = { window: windowNumber(this.#clock.now()), counts: {} }
    let keys = 0
    for (const [name, counts] of this.#untold) {
      const some: Record<string, number> = {}
      for (const [key, count] of counts) {
        if (keys === MOST_KEYS) break
        keys++
        some[key] = count
        counts.delete(key)
      }
      counted.counts[name] = some
      if (counts.size === 0) this.#untold.delete(name)
    }
    this.#cluster.messages.publish(SUBJECT, counted)
    if (this.#untold.size > 0) this.#timer = this.#clock.after(TELL_MS, () => this.#tell())
  }

  #take({ window, counts }: Counted): void {
    if (window !== windowNumber(this.#clock.now())) return
    for (const [name, some] of Object.entries(counts)) {
      const onHeard = this.#heard.get(name)
      if (onHeard) for (const [key, count] of Object.entries(some)) onHeard(key, count)
    }
  }
}

/** Counts per key within a minute, over all nodes. */
export class SharedCounter {
  readonly #window: Window<number>
  readonly #tell: (key: string, count: number) => void

  /** @param name what is counted, the same on all nodes */
  constructor(exchange: CountExchange, name: string) {
    this.#window = exchange.newWindow()
    this.#tell = exchange.share(name, (key, count) => this.#add(key, count))
  }

  /** Counts one. @returns the number so far */
  count(key: string): number {
    this.#tell(key, 1)
    return this.#add(key, 1)
  }

  /** Whole seconds until the next window, at least 1. */
  secondsLeft(): number {
    return this.#window.secondsLeft()
  }

  #add(key: string, count: number): number {
    const sum = (this.#window.get(key) ?? 0) + count
    this.#window.set(key, sum)
    return sum
  }
}
