import { BINDING_SUCCESS, isAuthentic, type StunMessage } from '../stun.ts'
import type { Check } from './checks-under-way.ts'
import type { LocalSocket } from './ice-types.ts'

/**
 * Whether an answer with the right transaction id is the other side's. Chromium with a pool of candidates and no permission to
 * show its addresses often signs all its answers with a password that it has told nobody (seen in versions up to 156).
 * So an answer is taken from such a browser that only somebody can know who has received our check: 96 random bits, sent to
 * an address from which a signed check came. Others, and those who have once signed an answer, have to sign it.
 */
export function isAnswerTo<Socket extends LocalSocket>(
  { session, pair }: Check<Socket>,
  datagram: Buffer,
  message: StunMessage,
): boolean {
  if (isAuthentic(datagram, message, session.remote.password)) {
    session.hasSignedAnswer = true
    return true
  }
  const isSignedSomehow = message.type === BINDING_SUCCESS && message.integrityAt >= 0
  return isSignedSomehow && pair.isPeerReflexive && !session.hasSignedAnswer
}
