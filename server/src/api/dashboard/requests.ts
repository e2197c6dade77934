import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../clock.ts'
import type { RequestLog } from '../../dashboard/requests/request-log.ts'
import { showLoggedRequest } from '../../dashboard/requests/show-request.ts'
import { LoggedRequest, LoggedRequestsQuery } from '../../resources/logged-request.ts'
import { Page } from '../../resources/paging.ts'
import type { Services } from '../../services.ts'
import { type Caller, callerOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { answerEventStream } from './event-streams.ts'

/** `/requests`: what the clients of the project asked of the API. */
export const requestOperations: Operation[] = [
  operation(
    {
      route: 'GET /requests',
      operationId: 'listLoggedRequests',
      summary: 'List the latest requests',
      description:
        'The last 1000 requests to the API with credentials of the project, newest first, as long as the server remembers them: it keeps them in memory, for 50 projects. What the dashboard reads is not among them. An addition of Parley.',
      tag: 'Dashboard',
      right: 'administer',
      query: LoggedRequestsQuery,
      answer: Page(LoggedRequest),
    },
    async (request, { requestLog }) => {
      const { method, status, text } = request.query
      const filter = { method, statusClass: status === undefined ? undefined : Number(status[0]), text }
      const page = requestLog.list(request.projectId, filter, request.listRequest)
      const rows = page.rows.map((row) => ({ ...row, id: String(row.number) }))
      return request.answerPage({ ...page, rows }, showLoggedRequest, ({ number }) => number)
    },
  ),
]

/**
 * `GET /requests/live`: an event stream of the requests that come from now on. It is no operation of the API document,
 * which has no words for an answer that does not end: docs/dashboard.md describes it.
 */
export function liveRequestsRoute(app: FastifyInstance, { requestLog, userSessions }: Services): void {
  const options = { schema: { hide: true }, config: { right: 'administer' } } as const
  app.get('/requests/live', options, async (request, reply) =>
    answerEventStream(request, reply, requestLog.follow(callerOf(request).projectId), userSessions),
  )
}

/** Puts every answered request with credentials of a project into its log. Call it before the families are registered. */
export function useLoggedRequests(app: FastifyInstance, log: Pick<RequestLog, 'add'>, clock: Clock): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, method, url } = request
    if (caller && !isOfPages(method, url)) {
      const durationMs = reply.elapsedTime
      log.add(caller.projectId, {
        at: clock.now() - durationMs,
        requestId: request.id,
        method,
        path: url,
        status: reply.statusCode,
        durationMs,
        credentialKind: kindOf(caller),
        credentialName: caller.name,
        errorCode: request.errorCode,
      })
    }
    done()
  })
}

/** The pages read all the time. A look at the log would be all that one sees in it. */
const isOfPages = (method: string, url: string): boolean =>
  method === 'GET' && (url.startsWith('/api/dashboard/') || url.startsWith('/page/'))

function kindOf({ person, tokenId }: Caller) {
  if (person) return 'user'
  return tokenId === null ? 'end-user' : 'api-token'
}
