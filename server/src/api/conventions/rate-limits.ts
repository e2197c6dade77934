import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { Refusal } from '../../errors/refusal.ts'
import { type ConnectionPool, OTHER_NODES } from '../../limits/connection-pool.ts'
import { type CountExchange, SharedCounter } from '../../limits/count-exchange.ts'
import { type FailedSignIns, TooManyFailedSignIns } from '../../limits/failed-sign-ins.ts'
import { networkOf } from '../../limits/network-of.ts'
import type { RefusedSignIns } from '../../limits/refused-sign-ins.ts'

/** Enough for an office of 200 behind one address, who wait for the same door. */
const VISITOR_REQUESTS_PER_MINUTE = 1200

/** Whoever has no link looks at a door now and then. It must take long to try names. */
const STRANGER_REQUESTS_PER_MINUTE = 120

/** Sign-ins by the OpenID provider that one address may begin. */
const SIGN_INS_PER_MINUTE = 60

/** Limits on the requests of a project, and on the failed sign-ins of an address. */
export interface RateLimits {
  /**
   * Counts a request of a project, and tells the client in `RateLimit-*` headers how many are left. From now on its
   * connection counts as one of the project.
   * @throws Refusal `rate_limit_exceeded`, with `Retry-After` on the answer
   */
  admitProject(projectId: string, reply: FastifyReply): void
  /**
   * Counts a request of somebody who has a link of a project, by address: whoever got the link must not use up the
   * requests of the project. Otherwise like {@link admitProject}.
   * @throws Refusal `rate_limit_exceeded`, with `Retry-After` on the answer
   */
  admitVisitor(projectId: string, request: FastifyRequest, reply: FastifyReply): void
  /**
   * Counts a request of somebody without any credentials, by address, before anything is looked up.
   * @throws Refusal `rate_limit_exceeded`, with `Retry-After` on the answer
   */
  admitStranger(request: FastifyRequest, reply: FastifyReply): void
  /** Another node of the cluster has proved who it is: no limit on connections applies to it. */
  admitNode(request: FastifyRequest): void
  /** Counts a sign-in by the OpenID provider, by address. @returns whether it may begin: each asks the provider */
  mayBeginSignIn(request: FastifyRequest): boolean
  /**
   * Counts wrong credentials.
   * @throws Refusal `rate_limit_exceeded`, with `Retry-After` on the answer, when there were too many before
   */
  countFailedSignIn(request: FastifyRequest, reply: FastifyReply): void
  /**
   * Looks up credentials in the database; see {@link FailedSignIns.lookUp}.
   * @param credentials by default the `Authorization` header
   * @throws Refusal `rate_limit_exceeded`, with `Retry-After` on the answer; synchronously, not through the promise
   */
  lookUp<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    find: () => Promise<T | undefined>,
    credentials?: string,
  ): Promise<T | undefined>
  /**
   * Refuses a request because the server has too much of this work.
   * @throws Refusal `rate_limit_exceeded`, with `Retry-After` on the answer
   */
  refuseBusy(reply: FastifyReply): never
}

/** Time after which there is room again in a full queue, in seconds. */
const BUSY_SECONDS = 2

export interface RateLimitParts {
  config: Pick<Config, 'requestsPerMinute'>
  failedSignIns: FailedSignIns
  refusedSignIns: Pick<RefusedSignIns, 'note'>
  connections: Pick<ConnectionPool, 'signIn'>
  counts: CountExchange
}

/** Creates rate limits that count in memory, in windows of a minute. 0 in the configuration means no limit. */
export function createRateLimits({
  config,
  failedSignIns,
  refusedSignIns,
  connections,
  counts,
}: RateLimitParts): RateLimits {
  const { requestsPerMinute } = config
  const ofProjects = new SharedCounter(counts, 'projects')
  const ofVisitors = new SharedCounter(counts, 'visitors')
  const ofStrangers = new SharedCounter(counts, 'strangers')
  const ofSignIns = new SharedCounter(counts, 'sign-ins')
  return {
    admitProject(projectId, reply) {
      admit(projectId, reply)
      if (requestsPerMinute > 0) count(ofProjects, projectId, requestsPerMinute, reply)
    },
    admitVisitor(projectId, request, reply) {
      admit(projectId, reply)
      if (requestsPerMinute > 0) count(ofVisitors, networkOf(request.ip), VISITOR_REQUESTS_PER_MINUTE, reply)
    },
    admitStranger(request, reply) {
      if (requestsPerMinute === 0) return
      count(ofStrangers, networkOf(request.ip), STRANGER_REQUESTS_PER_MINUTE, reply)
    },
    admitNode({ raw }) {
      connections.signIn(raw.socket, OTHER_NODES, { returning: true })
    },
    mayBeginSignIn: (request) => ofSignIns.count(networkOf(request.ip)) <= SIGN_INS_PER_MINUTE,
    countFailedSignIn(request, reply) {
      note(request)
      orRefuse(reply, () => failedSignIns.countWrong(request.ip))
    },
    lookUp: (request, reply, find, credentials = request.headers.authorization ?? '') =>
      orRefuse(reply, () =>
        failedSignIns.lookUp(request.ip, credentials, async () => {
          const found = await find()
          if (found === undefined) note(request)
          return found
        }),
      ),
    refuseBusy(reply) {
      tellState(reply, { left: 0, limit: 0, seconds: BUSY_SECONDS })
      return refuse(reply, BUSY_SECONDS)
    },
  }

  /** The path is that of the route: links have secrets in theirs. */
  function note({ ip, method, routeOptions }: FastifyRequest): void {
    refusedSignIns.note(
      'http',
      ip,
      `wrong credentials for ${method} ${routeOptions.url ?? 'an unknown path'}`,
    )
  }

  /** A connection beyond the project's limit stays open as a stranger. It is closed first when there are too many. */
  function admit(projectId: string, reply: FastifyReply): void {
    connections.signIn(reply.request.raw.socket, { project: projectId })
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

function count(requests: SharedCounter, key: string, limit: number, reply: FastifyReply): void {
  const made = requests.count(key)
  const seconds = requests.secondsLeft()
  tellState(reply, { left: limit - made, limit, seconds })
  if (made > limit) refuse(reply, seconds)
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
