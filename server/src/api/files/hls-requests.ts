import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counts } from '../../counts.ts'
import { Refusal } from '../../errors/refusal.ts'
import { networkOf } from '../../limits/network-of.ts'
import type { WatchedSession } from '../../rooms/hls/watching.ts'

/** A player waits for the next playlist and the next part: 500 players behind one address. */
const MOST_OF_ADDRESS = 1000
/** 2,500 players of one session. Who has more needs a cache in front anyway, which asks once for all of them. */
const MOST_OF_SESSION = 5000
/** A live playlist changes twice a second, and then most of those who wait are answered. */
const RETRY_SECONDS = 1

/** The requests of those who watch over HLS that are not answered yet. They wait for what comes next, and take memory. */
export class HlsRequests {
  readonly #ofSessions = new Counts()
  readonly #ofAddresses = new Counts()

  /**
   * Runs `work` for a request.
   * @throws Refusal `rate_limit_exceeded` or `unavailable`, with `Retry-After` on the answer, while too many wait; and what
   * `work` throws
   */
  async during<T>(
    { sessionId }: WatchedSession,
    { ip }: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<T>,
  ): Promise<T> {
    const address = networkOf(ip)
    this.#check(sessionId, address, reply)
    this.#ofSessions.add(sessionId)
    this.#ofAddresses.add(address)
    try {
      return await work()
    } finally {
      this.#ofSessions.remove(sessionId)
      this.#ofAddresses.remove(address)
    }
  }

  #check(sessionId: string, address: string, reply: FastifyReply): void {
    if (this.#ofAddresses.of(address) >= MOST_OF_ADDRESS) {
      reply.header('retry-after', RETRY_SECONDS)
      const message = `More than ${MOST_OF_ADDRESS} requests of your address wait for this server. Ask again in a second.`
      throw new Refusal('rate_limit_exceeded', message)
    }
    if (this.#ofSessions.of(sessionId) >= MOST_OF_SESSION) {
      throw new Refusal('unavailable', 'Too many watch this meeting at once. Ask again in a few seconds.')
    }
  }
}
