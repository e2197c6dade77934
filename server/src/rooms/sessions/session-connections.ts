import type { MediaRoom } from '../../media/media-plane.ts'
import type { Member } from './member.ts'
import type { SessionHistory } from './session-history.ts'
import type { SessionLegs } from './session-legs.ts'

/** What of a member may be broken: its socket, or a leg, by its id. */
type Part = 'socket' | (string & {})

/**
 * Notes in the history when the connection of a member breaks and when all of it is back. The audience, screen shares
 * and devices are left out.
 */
export class SessionConnections {
  readonly #history: SessionHistory
  readonly #broken = new Map<Member, Set<Part>>()

  constructor({ media, legs, history }: { media: MediaRoom; legs: SessionLegs; history: SessionHistory }) {
    this.#history = history
    media.on('leg', ({ legId, state }) => {
      const member = legs.get(legId)?.member
      if (!member) return
      if (state === 'connected') this.mended(member, legId)
      else this.broke(member, legId)
    })
  }

  /** A part broke. Only the first one is noted. */
  broke(member: Member, part: Part): void {
    if (member.isAudience || !member.isMain) return
    const parts = this.#broken.get(member)
    if (parts) {
      parts.add(part)
      return
    }
    this.#broken.set(member, new Set([part]))
    this.#history.memberConnection(member, 'member.lost')
  }

  /** A part is back, or nobody waits for it any more. Does nothing for what was not broken. */
  mended(member: Member, part: Part): void {
    const parts = this.#broken.get(member)
    if (!parts?.delete(part) || parts.size > 0) return
    this.#broken.delete(member)
    this.#history.memberConnection(member, 'member.back')
  }

  /** The member has left. */
  forget(member: Member): void {
    this.#broken.delete(member)
  }
}
