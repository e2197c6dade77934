import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import {
  isAuthentic,
  readStun,
  writeBindingRequest,
  writeBindingSuccess,
} from '../../server/src/media-worker/transport/ice/stun.ts'
import { anyBytes, changed, type FuzzPlan, fuzz } from './fuzzing.ts'

const PASSWORD = 'password-of-this-side'

/** Connectivity checks as a browser sends them to the peer with these credentials. */
export function checks(usernames: readonly string[], password: string): Buffer[] {
  return usernames.flatMap((username) =>
    [true, false].map((useCandidate) =>
      writeBindingRequest({
        transactionId: randomBytes(12),
        username,
        password,
        priority: 1,
        tieBreaker: 1n,
        role: 'controlling',
        useCandidate,
      }),
    ),
  )
}

const originals = [
  ...checks(['ours:theirs', 'ours', '', 'x'.repeat(508)], PASSWORD),
  writeBindingSuccess(randomBytes(12), '192.0.2.1', 9, PASSWORD),
  writeBindingSuccess(randomBytes(12), '2001:db8::1', 9, PASSWORD),
]

/** Messages with a correct length field, whatever else is wrong, so that the parser reads their attributes. */
const withLength = changed(originals).map((bytes) => {
  const copy = Buffer.from(bytes)
  if (copy.length >= 20) copy.writeUInt16BE(copy.length - 20, 2)
  return copy
})

const datagram = fc.oneof(
  { weight: 4, arbitrary: withLength },
  { weight: 2, arbitrary: changed(originals) },
  { weight: 1, arbitrary: anyBytes(100) },
)

/** Passes datagrams to the STUN parser. It must never throw, and must not accept a forged message as authentic. */
export function fuzzStun(plan: FuzzPlan): Promise<void> {
  return fuzz(plan, datagram, 100, (group) => {
    const startedAt = performance.now()
    for (const bytes of group) {
      const message = readStun(bytes)
      const authentic = message !== null && isAuthentic(bytes, message, PASSWORD)
      if (authentic) {
        const covered = bytes.subarray(4, message.integrityAt)
        const isKnown = originals.some((original) =>
          original.subarray(4).subarray(0, covered.length).equals(covered),
        )
        expect(isKnown, bytes.toString('hex')).toBe(true)
      }
      plan.tally.note(authentic ? 'authentic' : message ? 'read' : 'refused')
    }
    const tookMs = performance.now() - startedAt
    plan.tally.slowestMs = Math.max(plan.tally.slowestMs, tookMs / group.length)
    expect(tookMs).toBeLessThan(2000)
  })
}
