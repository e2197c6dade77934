import { TokenBucket } from '../../../token-bucket.ts'

/**
 * Packets that one browser may send per second, and in a burst: several times what a large screen share and a receiver's
 * reports need.
 */
const MEDIA_PACKETS_PER_SECOND = 3000
const MEDIA_PACKETS_AT_ONCE = 3000
const CONTROL_PACKETS_PER_SECOND = 300
const CONTROL_PACKETS_AT_ONCE = 300

/** Bounds all work that the packets of one browser can cause. RTCP has a share of its own, which media cannot use up. */
export class PacketBudget {
  /** Packets that were too many. */
  excess = 0
  readonly #media = new TokenBucket(MEDIA_PACKETS_AT_ONCE, MEDIA_PACKETS_PER_SECOND)
  readonly #control = new TokenBucket(CONTROL_PACKETS_AT_ONCE, CONTROL_PACKETS_PER_SECOND)

  /** @returns false where the packet is to be dropped unread */
  take(isControl: boolean, nowMs: number): boolean {
    const isWithin = (isControl ? this.#control : this.#media).take(nowMs)
    if (!isWithin) this.excess++
    return isWithin
  }
}
