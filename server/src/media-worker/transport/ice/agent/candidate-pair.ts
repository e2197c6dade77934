import type { IcePath, IceRole, LocalSocket } from './ice-types.ts'

/**
 * A path that is checked, or may be (RFC 8445, section 6.1.2). Our side of it is a socket and not one of our candidates: what
 * is sent leaves by the socket, whichever of its addresses the other side knows.
 */
export interface CandidatePair<Socket extends LocalSocket> extends IcePath<Socket> {
  readonly localPriority: number
  readonly remotePriority: number
  /** Learnt from a check of the other side, and not told by it in SDP. */
  readonly isPeerReflexive: boolean
  /**
   * `waiting`: may be checked. `checking`: a check is under way. `succeeded`: the last check was answered. `failed`: it was
   * not. There is only one media stream of one component, so no pair has another to wait for and none is "frozen".
   */
  state: 'waiting' | 'checking' | 'succeeded' | 'failed'
  /** When the other side last answered a check here; negative infinity where it never has. */
  answeredAtMs: number
  /**
   * How many more checks may be sent before the other side answers one. An address may be that of somebody else, who is to get
   * no more from us than the one who names it pays for.
   */
  allowance: number
  /** The other side wants this pair to be used as soon as the next check succeeds. */
  isToBeNominated: boolean
}

/** Whether the other side has ever shown that it receives there. */
export function hasAnswered({ answeredAtMs }: CandidatePair<LocalSocket>): boolean {
  return answeredAtMs !== Number.NEGATIVE_INFINITY
}

/**
 * Orders pairs by priority, the highest first (RFC 8445, section 6.1.2.3). The formula there makes numbers of 64 bits; this
 * compares their parts.
 * @param role ours
 */
export function byPriority<Socket extends LocalSocket>(
  a: CandidatePair<Socket>,
  b: CandidatePair<Socket>,
  role: IceRole,
): number {
  return lower(b) - lower(a) || higher(b) - higher(a) || tie(b, role) - tie(a, role)
}

const lower = (pair: CandidatePair<LocalSocket>) => Math.min(pair.localPriority, pair.remotePriority)
const higher = (pair: CandidatePair<LocalSocket>) => Math.max(pair.localPriority, pair.remotePriority)

/** 1 where the controlling side's candidate has the higher priority. */
function tie({ localPriority, remotePriority }: CandidatePair<LocalSocket>, role: IceRole): number {
  const controlling = role === 'controlling' ? localPriority : remotePriority
  const controlled = role === 'controlling' ? remotePriority : localPriority
  return controlling > controlled ? 1 : 0
}
