import { writeCandidates } from './candidate.ts'
import { CheckList } from './check-list.ts'
import type { IceParameters, IceRole, LocalSocket } from './ice-types.ts'

/** Makes random bytes; a parameter, so that a test can be repeated. */
export type RandomBytes = (count: number) => Buffer

/** What is agreed from one restart to the next (RFC 8445, section 2.4: an ICE session). */
export interface IceSession<Socket extends LocalSocket> {
  readonly local: IceParameters
  readonly remote: IceParameters
  /**
   * What the other side's checks name. Both halves count: while Chromium waits for the answer to a restart, it checks its new
   * addresses with our old half, and would keep the pairs that were answered.
   */
  readonly usernameOfChecks: string
  readonly list: CheckList<Socket>
  readonly startedAtMs: number
  /** When a pair was nominated first, or null. */
  nominatedAtMs: number | null
  /** When a pair succeeded first, or null. */
  succeededAtMs: number | null
  /** Whether the other side has ever signed an answer with the password that it told us. */
  hasSignedAnswer: boolean
}

/** Begins a session with new credentials of ours: 48 and 144 random bits (RFC 8445, section 5.3). */
export function newSession<Socket extends LocalSocket>(
  sockets: readonly Socket[],
  remote: IceParameters,
  role: IceRole,
  random: RandomBytes,
  nowMs: number,
): IceSession<Socket> {
  const local = {
    usernameFragment: random(6).toString('base64'),
    password: random(18).toString('base64'),
    candidates: writeCandidates(sockets),
  }
  return {
    local,
    remote,
    usernameOfChecks: `${local.usernameFragment}:${remote.usernameFragment}`,
    list: new CheckList(sockets, remote.candidates, role),
    startedAtMs: nowMs,
    nominatedAtMs: null,
    succeededAtMs: null,
    hasSignedAnswer: false,
  }
}
