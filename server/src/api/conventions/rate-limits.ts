import type { FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../../config.ts'
import { ParleyError } from '../../errors/parley-error.ts'

const WINDOW_SECONDS = 60

/** How many requests a project may make, and how often one address may fail to sign in. */
export interface RateLimits {
  /**
   * Counts a request of a project and tells the answer how many are left (`RateLimit-*` headers).
   * @throws ParleyError `rate_limit_exceeded`, with `Retry-After` on the answer
   */
  admitProject(projectId: string, reply: FastifyReply): Promise<void>
  /**
   * Refuses an address that failed too often, before its credentials are looked at.
   * @throws ParleyError `rate_limit_exceeded`, with `Retry-After` on the answer
   */
  admitAddress(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** Counts credentials that were wrong. */
  countFailedSignIn(request: FastifyRequest): Promise<void>
}

/** Counts in memory, in windows of a minute; 0 in the configuration stands for no limit. */
export function createRateLimits(
  config: Pick<Config, 'requestsPerMinute' | 'failedSignInsPerMinute'>,
): RateLimits {
  const requests = limiter(config.requestsPerMinute)
  const failures = limiter(config.failedSignInsPerMinute)
  return {
    async admitProject(projectId, reply) {
      if (!requests) return
      const state = await count(requests, projectId)
      tellState(reply, state, requests.points)
      if (state.consumedPoints > requests.points) refuse(reply, state)
    },
    async admitAddress(request, reply) {
      const state = await failures?.get(request.ip)
      if (failures && state && state.consumedPoints >= failures.points) {
        tellState(reply, state, failures.points)
        refuse(reply, state)
      }
    },
    async countFailedSignIn(request) {
      if (failures) await count(failures, request.ip)
    },
  }
}

function limiter(perMinute: number): RateLimiterMemory | null {
  return perMinute === 0 ? null : new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS })
}

/** The library rejects with the state where the limit is passed. */
async function count(limiter: RateLimiterMemory, key: string): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key)
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return refusal
    throw refusal
  }
}

const secondsLeft = (state: RateLimiterRes) => Math.max(1, Math.ceil(state.msBeforeNext / 1000))

function tellState(reply: FastifyReply, state: RateLimiterRes, limit: number): void {
  reply.header('ratelimit-limit', limit)
  reply.header('ratelimit-remaining', Math.max(0, limit - state.consumedPoints))
  reply.header('ratelimit-reset', secondsLeft(state))
}

function refuse(reply: FastifyReply, state: RateLimiterRes): never {
  const seconds = secondsLeft(state)
  reply.header('retry-after', seconds)
  throw new ParleyError('rate_limited', {
    code: 'rate_limit_exceeded',
    message: `Too many requests. Try again in ${seconds} s.`,
  })
}
