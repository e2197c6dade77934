import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../clock.ts'
import { isUuid } from '../../ids.ts'
import { AccountParams, Call, CallPage, CallParams, ListCallsQuery } from '../../resources/call.ts'
import { compatibilityErrors } from '../../resources/compatibility.ts'
import { formatRfc2822 } from '../../resources/dates.ts'
import type { Calls } from '../../rooms/calls.ts'
import { unrecognized } from '../../rooms/changes.ts'
import type { WithCost } from '../../rooms/room-sessions.ts'
import type { CallRecord } from '../../storage/records.ts'
import type { ListPage } from '../../storage/storage.ts'
import { callerOf } from '../conventions/authentication.ts'
import type { Paging } from '../conventions/paging.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import { callFilter } from './call-filter.ts'

const VERSION = '2010-04-01'
const EMPTY: ListPage<never> = { rows: [], hasNext: false, hasPrevious: false }
const tags = ['Calls']

/** What the operations on calls work with. */
export interface CallsContext {
  calls: Calls
  paging: Paging
  clock: Clock
}

/** `/Accounts/{account_sid}/Calls`: two operations, each also with `.json` at the end of its path. */
export function callRoutes(app: TypedApp, { calls, paging, clock }: CallsContext): void {
  for (const suffix of ['', '.json']) {
    app.get(
      `/${VERSION}/Accounts/:account_sid/Calls${suffix}`,
      {
        schema: {
          // The document says it once.
          hide: suffix !== '',
          operationId: 'listCalls',
          summary: 'List calls',
          description:
            'Every client that is or was in a session: members, viewers, screen shares and extra devices, newest first. The path may end in `.json`.',
          tags,
          params: AccountParams,
          querystring: ListCallsQuery,
          response: { 200: CallPage, ...compatibilityErrors(400, 401, 403, 404, 422, 429, 500) },
        },
        preValidation: paging.restoreParameters,
      },
      async (request) => {
        const projectId = accountOf(request, request.params.account_sid)
        const filter = callFilter(request.query)
        const page = filter ? await calls.list(projectId, filter, paging.listRequest(request)) : EMPTY
        const links = paging.links(request, page, (call: CallRecord) => call.created_at)
        return {
          uri: links.self,
          first_page_uri: links.first,
          next_page_uri: links.next,
          previous_page_uri: links.prev,
          page: request.pageToken?.number ?? 0,
          page_size: request.query.PageSize,
          calls: page.rows.map((call) => show(call, clock.now())),
        }
      },
    )
  }

  app.get(
    `/${VERSION}/Accounts/:account_sid/Calls/:sid`,
    {
      schema: {
        operationId: 'getCall',
        summary: 'Get a call',
        description: 'One call. The path may end in `.json`.',
        tags,
        params: CallParams,
        response: { 200: Call, ...compatibilityErrors(400, 401, 403, 404, 429, 500) },
      },
    },
    async (request) => {
      const projectId = accountOf(request, request.params.account_sid)
      const sid = request.params.sid.replace(/\.json$/, '')
      if (!isUuid(sid)) throw unrecognized()
      return show(await calls.get(projectId, sid.toLowerCase()), clock.now())
    },
  )
}

/** The project whose account is asked for: it must be the caller's own. */
function accountOf(request: FastifyRequest, account: string): string {
  const { projectId } = callerOf(request)
  if (account.toLowerCase() !== projectId.toLowerCase()) throw unrecognized()
  return projectId
}

function show(call: WithCost<CallRecord>, now: number): Call {
  const { id, project_id, from_name: from, to_name: to, status, created_at, ended_at } = call
  const started = formatRfc2822(created_at)
  return {
    sid: id,
    account_sid: project_id,
    api_version: VERSION,
    date_created: started,
    date_updated: formatRfc2822(ended_at ?? created_at),
    parent_call_sid: call.parent_id,
    to,
    formatted_to: to,
    to_formatted: to,
    from,
    formatted_from: from,
    from_formatted: from,
    phone_number_sid: null,
    status,
    start_time: started,
    end_time: ended_at === null ? null : formatRfc2822(ended_at),
    duration: Math.max(0, Math.floor(((ended_at ?? now) - created_at) / 1000)),
    price: call.costInDollars,
    price_unit: 'USD',
    direction: 'inbound',
    answered_by: null,
    forwarded_from: null,
    caller_name: null,
    annotation: null,
    uri: `/api/laml/${VERSION}/Accounts/${project_id}/Calls/${id}.json`,
    subresource_uris: {},
  }
}
