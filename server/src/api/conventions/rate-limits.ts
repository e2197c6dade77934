import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { ParleyError } from '../../errors/parley-error.ts'

const WINDOW_MS = 60_000

/** How many requests a project may make, and how often one address may fail to sign in. */
export interface RateLimits {
  /**
   * Counts a request of a project and tells the answer how many are left (`RateLimit-*` headers).
   * @throws ParleyError `rate_limit_exceeded`, with `Retry-After` on the answer
   */
  admitProject(projectId: string, reply: FastifyReply): void
  /**
   * Refuses an address that failed too often, before its credentials are looked at.
   * @throws ParleyError `rate_limit_exceeded`, with `Retry-After` on the answer
   */
  admitAddress(request: FastifyRequest, reply: FastifyReply): void
  /** Counts credentials that were wrong. */
  countFailedSignIn(request: FastifyRequest): void
}

/** Counts in memory, in windows of a minute; 0 in the configuration stands for no limit. */
export function createRateLimits(
  config: Pick<Config, 'requestsPerMinute' | 'failedSignInsPerMinute'>,
): RateLimits {
  const { requestsPerMinute, failedSignInsPerMinute } = config
  const requests = new WindowCounts()
  const failures = new WindowCounts()
  return {
    admitProject(projectId, reply) {
      if (requestsPerMinute === 0) return
      const count = requests.add(projectId)
      tellState(reply, requestsPerMinute - count, requestsPerMinute, requests)
      if (count > requestsPerMinute) refuse(reply, requests)
    },
    admitAddress(request, reply) {
      if (failedSignInsPerMinute === 0 || failures.of(request.ip) < failedSignInsPerMinute) return
      tellState(reply, 0, failedSignInsPerMinute, failures)
      refuse(reply, failures)
    },
    countFailedSignIn(request) {
      if (failedSignInsPerMinute !== 0) failures.add(request.ip)
    },
  }
}

/**
 * How often each key came up in the present window. All keys share their windows, so that what is kept is what came up
 * within one, and is dropped all at once.
 */
class WindowCounts {
  readonly #counts = new Map<string, number>()
  #endsAtMs = 0

  of(key: string): number {
    this.#turnOver()
    return this.#counts.get(key) ?? 0
  }

  /** @returns how often it has come up by now, this time included */
  add(key: string): number {
    const count = this.of(key) + 1
    this.#counts.set(key, count)
    return count
  }

  /** Whole seconds until the next window, at least 1. */
  secondsLeft(): number {
    return Math.max(1, Math.ceil((this.#endsAtMs - performance.now()) / 1000))
  }

  #turnOver(): void {
    const nowMs = performance.now()
    if (nowMs < this.#endsAtMs) return
    this.#counts.clear()
    this.#endsAtMs = nowMs + WINDOW_MS
  }
}

function tellState(reply: FastifyReply, left: number, limit: number, counts: WindowCounts): void {
  reply.header('ratelimit-limit', limit)
  reply.header('ratelimit-remaining', Math.max(0, left))
  reply.header('ratelimit-reset', counts.secondsLeft())
}

function refuse(reply: FastifyReply, counts: WindowCounts): never {
  const seconds = counts.secondsLeft()
  reply.header('retry-after', seconds)
  throw new ParleyError('rate_limited', {
    code: 'rate_limit_exceeded',
    message: `Too many requests. Try again in ${seconds} s.`,
  })
}
