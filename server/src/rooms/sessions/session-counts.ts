import type { Fault } from '../../errors/kinds.ts'
import type { EventName } from '../../resources/event-names.ts'

/** Counts what happens in sessions. */
export interface SessionCounts {
  /**
   * @param result `joined`, or the code of the refusal
   * @param fault whose fault a refusal is; `none` for a join
   * @param seconds how long it took
   */
  join(result: string, fault: Fault | 'none', seconds: number): void
  /** An event in the history of a session. */
  event(name: EventName): void
}

/** Counts nothing. */
export const NO_COUNTS: SessionCounts = { join() {}, event() {} }
