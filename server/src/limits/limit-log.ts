import type { Logger } from 'pino'
import { type SteadyClock, Window } from './window.ts'

/** Logs that a limit was reached, at most once in a minute for each limit. */
export class LimitLog {
  readonly #log: Pick<Logger, 'warn'>
  readonly #seen: Window<true>
  /** How often each limit was reached since its last line in the log. */
  readonly #untold = new Map<string, number>()

  constructor(log: Pick<Logger, 'warn'>, nowMs?: SteadyClock) {
    this.#log = log
    this.#seen = new Window(nowMs)
  }

  /**
   * @param option the option of the configuration that sets the limit
   * @param whose the client that reached it: `address`, `project`
   */
  reached(option: string, whose: Readonly<Record<string, string>>): void {
    if (this.#seen.get(option)) {
      this.#untold.set(option, (this.#untold.get(option) ?? 0) + 1)
      return
    }
    this.#seen.set(option, true)
    const untold = this.#untold.get(option)
    this.#untold.delete(option)
    this.#log.warn({ option, ...whose, ...(untold && { timesBefore: untold }) }, 'a limit is reached')
  }
}
