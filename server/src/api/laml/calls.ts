import { AccountParams, Call, CallPage, CallParams, ListCallsQuery } from '../../resources/call.ts'
import { formatRfc2822 } from '../../resources/dates.ts'
import type { CallRecord } from '../../rooms/calls.ts'
import { unrecognized } from '../../rooms/changes.ts'
import type { WithCost } from '../../rooms/room-sessions.ts'
import type { ListPage } from '../../services.ts'
import type { ApiRequest } from '../conventions/api-request.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { pathId } from '../conventions/path-id.ts'
import { callFilter } from './call-filter.ts'

const VERSION = '2010-04-01'
const CALLS = `/${VERSION}/Accounts/:account_sid/Calls` as const
const EMPTY: ListPage<never> = { rows: [], hasNext: false, hasPrevious: false }
const tag = 'Calls'

/** `/Accounts/{account_sid}/Calls`: two operations, each also with `.json` at the end of its path. */
export const callOperations: Operation[] = [
  listCalls(`GET ${CALLS}`),
  // The API document lists the operation only once.
  listCalls(`GET ${CALLS}.json`, true),

  operation(
    {
      route: `GET ${CALLS}/:sid`,
      operationId: 'getCall',
      summary: 'Get a call',
      description: 'One call. The path may end in `.json`.',
      tag,
      params: CallParams,
      answer: Call,
    },
    async (request, { calls, clock }) => {
      checkAccount(request)
      const id = pathId({ id: request.params.sid.replace(/\.json$/, '') })
      return show(await calls.get(request.projectId, id), clock.now())
    },
  ),
]

function listCalls(route: `GET /${string}`, isHidden = false): Operation {
  return operation(
    {
      route,
      isHidden,
      operationId: 'listCalls',
      summary: 'List calls',
      description:
        'Every client that is or was in a session: members, viewers, screen shares and extra devices, newest first. The path may end in `.json`.',
      tag,
      params: AccountParams,
      query: ListCallsQuery,
      answer: CallPage,
    },
    async (request, { calls, clock }) => {
      checkAccount(request)
      const filter = callFilter(request.query)
      const page = filter ? await calls.list(request.projectId, filter, request.listRequest) : EMPTY
      const links = request.pageLinks(page, (call: CallRecord) => call.created_at)
      return {
        uri: links.self,
        first_page_uri: links.first,
        next_page_uri: links.next,
        previous_page_uri: links.prev,
        page: request.pageNumber,
        page_size: request.query.PageSize,
        calls: page.rows.map((call) => show(call, clock.now())),
      }
    },
  )
}

/** @throws Refusal unless the requested account is the caller's own project */
function checkAccount({ projectId, params }: ApiRequest<{ account_sid: string }>): void {
  if (params.account_sid.toLowerCase() !== projectId.toLowerCase()) throw unrecognized()
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
