import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { ConnectionPool } from '../../limits/connection-pool.ts'
import { type FailedSignIns, TooManyFailedSignIns } from '../../limits/failed-sign-ins.ts'
import { Window } from '../../limits/window.ts'

/** Limits on the requests of a project, and on the failed sign-ins of an address. */
export interface RateLimits {
  /**
   * Counts a request of a project, and tells the client in `RateLimit-*` headers how many are left. From now on its
   * connection counts as one of the project.
   * @throws Refusal `rate_limit_exceeded`, with `Retry-After` on the answer
   */
  admitProject(projectId: string, reply: FastifyReply): void
  /**
   * Counts wrong credentials.
   * @throws Refusal `rate_limit_exceeded`, with `Retry-After` on the answer, when there were too many before
   */
  countFailedSignIn(request: FastifyRequest, reply: FastifyReply): void
  /**
   * Looks up credentials in the database; see {@link FailedSignIns.lookUp}.
   * @throws Refusal `rate_limit_exceeded`, with `Retry-After` on the answer; synchronously, not through the promise
   */
  lookUp<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined>
}

export interface RateLimitParts {
  config: Pick<Config, 'requestsPerMinute'>
  failedSignIns: FailedSignIns
  connections: Pick<ConnectionPool, 'signIn'>
}

/** Creates rate limits that count in memory, in windows of a minute. 0 in the configuration means no limit. */
export function createRateLimits({ config, failedSignIns, connections }: RateLimitParts): RateLimits {
  const { requestsPerMinute } = config
  const requests = new Window<number>()
  return {
    admitProject(projectId, reply) {
      // A connection beyond the project's limit stays open as a stranger. It is closed first when there are too many
      // connections.
      connections.signIn(reply.request.raw.socket, { project: projectId })
      if (requestsPerMinute === 0) return
      const count = (requests.get(projectId) ?? 0) + 1
      requests.set(projectId, count)
      const seconds = requests.secondsLeft()
      tellState(reply, { left: requestsPerMinute - count, limit: requestsPerMinute, seconds })
      if (count > requestsPerMinute) refuse(reply, seconds)
    },
    countFailedSignIn(request, reply) {
      orRefuse(reply, () => failedSignIns.countWrong(request.ip))
    },
    lookUp: (request, reply, find) =>
      orRefuse(reply, () => failedSignIns.lookUp(request.ip, request.headers.authorization ?? '', find)),
  }

  function orRefuse<T>(reply: FastifyReply, work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof TooManyFailedSignIns)) throw error
      tellState(reply, { left: 0, limit: failedSignIns.limit, seconds: error.retryAfterSeconds })
      return refuse(reply, error.retryAfterSeconds)
    }
  }
}

function tellState(
  reply: FastifyReply,
  { left, limit, seconds }: { left: number; limit: number; seconds: number },
): void {
  reply.header('ratelimit-limit', limit)
  reply.header('ratelimit-remaining', Math.max(0, left))
  reply.header('ratelimit-reset', seconds)
}

function refuse(reply: FastifyReply, seconds: number): never {
  reply.header('retry-after', seconds)
  throw new Refusal('rate_limit_exceeded', `Too many requests. Try again in ${seconds} s.`)
}
