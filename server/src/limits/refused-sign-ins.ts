import type { Logger } from 'pino'
import { type SteadyClock, Window } from './window.ts'

/** Lines in a minute. A guesser must not fill the disk of the log. */
const LINES_PER_MINUTE = 60

/** How somebody wanted to sign in. */
export type SignInWay = 'http' | 'websocket'

/** Tells the log of each sign-in that was refused, within a limit. */
export class RefusedSignIns {
  readonly #log: Pick<Logger, 'info' | 'warn'>
  readonly #lines: Window<number>
  readonly #counts: Record<SignInWay, number> = { http: 0, websocket: 0 }

  constructor(log: Pick<Logger, 'info' | 'warn'>, nowMs?: SteadyClock) {
    this.#log = log
    this.#lines = new Window(nowMs)
  }

  /** Refused sign-ins since the start. */
  get counts(): Readonly<Record<SignInWay, number>> {
    return this.#counts
  }

  /** @param reason for people; never credentials */
  note(way: SignInWay, address: string, reason: string): void {
    this.#counts[way]++
    const lines = (this.#lines.get('lines') ?? 0) + 1
    if (lines > LINES_PER_MINUTE) return
    this.#lines.set('lines', lines)
    this.#log.info({ way, address, reason: reason.slice(0, 300) }, 'sign-in refused')
    if (lines === LINES_PER_MINUTE) {
      this.#log.warn('many sign-ins are refused: no more of them are logged in this minute')
    }
  }
}
