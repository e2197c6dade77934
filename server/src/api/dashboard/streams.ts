import type { StreamRow } from '../../dashboard/stream-overview.ts'
import { formatMoment, formatMomentOrNull } from '../../resources/dates.ts'
import {
  ListedStream,
  ListStreamsQuery,
  StreamTestBody,
  StreamTestResult,
} from '../../resources/listed-stream.ts'
import { Page } from '../../resources/paging.ts'
import { rightsOf } from '../../resources/roles.ts'
import { actorOf, type Caller } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { AnyIdParams, pathId } from '../conventions/path-id.ts'

const tag = 'Dashboard'

/** `/streams` and `/stream_tests`: the streams of the whole project. */
export const streamOperations: Operation[] = [
  operation(
    {
      route: 'GET /streams',
      operationId: 'listStreams',
      summary: 'List all streams',
      description:
        'Streams of all rooms and conferences, and those that people started in a session, newest first. No answer has the key of a destination. With `status` a page may hold fewer than asked for, although there are more. An addition of Parley.',
      tag,
      query: ListStreamsQuery,
      answer: Page(ListedStream),
    },
    async (request, { streamOverview }) => {
      const { projectId, query, listRequest, caller } = request
      const page = await streamOverview.list(projectId, query.status, listRequest)
      const links = request.pageLinks(page, ({ created_at }) => created_at)
      return { links, data: page.rows.flatMap(({ row }) => (row ? [show(row, caller)] : [])) }
    },
  ),

  operation(
    {
      route: 'GET /streams/:id',
      operationId: 'getListedStream',
      summary: 'Get a stream without its key',
      description: 'As the list has it. An addition of Parley.',
      tag,
      params: AnyIdParams,
      answer: ListedStream,
    },
    async ({ projectId, params, caller }, { streamOverview }) =>
      show(await streamOverview.get(projectId, pathId(params)), caller),
  ),

  operation(
    {
      route: 'POST /streams/:id/start',
      operationId: 'startStream',
      summary: 'Start a stream again',
      description:
        'Starts a stream of a room that was stopped in the session in progress. One that runs or waits for a session is left as it is. An addition of Parley.',
      tag,
      params: AnyIdParams,
    },
    async ({ projectId, params, caller }, { streamOverview }) =>
      streamOverview.start(projectId, pathId(params), actorOf(caller)),
  ),

  operation(
    {
      route: 'POST /streams/:id/stop',
      operationId: 'stopStream',
      summary: 'Stop a stream',
      description:
        'Stops a stream until the next session of its room. One that does not run is left as it is. An addition of Parley.',
      tag,
      params: AnyIdParams,
    },
    async ({ projectId, params, caller }, { streamOverview }) =>
      streamOverview.stop(projectId, pathId(params), actorOf(caller)),
  ),

  operation(
    {
      route: 'POST /stream_tests',
      operationId: 'testStream',
      summary: 'Test an address',
      description:
        'Sends a few seconds of test picture to an address, and says what became of it. Whether a port is closed or speaks something else is not told. One test of a project runs at a time. An addition of Parley.',
      tag,
      body: StreamTestBody,
      answer: StreamTestResult,
      errorCodes: { 422: ['url_failed_to_parse', 'url_is_unsafe'] },
      incompleteStatus: 422,
    },
    async ({ projectId, body, caller }, { streamTests }) => {
      const { outcome, publishedMs } = await streamTests.run(projectId, body.url, actorOf(caller))
      return { outcome, published_ms: publishedMs }
    },
  ),
]

const maySeeAddresses = ({ person }: Caller) => !person || rightsOf(person.role).includes('operate')

function show(row: StreamRow, caller: Caller): ListedStream {
  const { id, isKept, roomId, roomName, sessionId, destination, condition, reconnects, created_at } = row
  return {
    id,
    kept: isKept,
    room_id: roomId,
    room_name: roomName,
    room_session_id: sessionId,
    destination: maySeeAddresses(caller) ? destination : null,
    status: condition.status,
    live_since: formatMomentOrNull(condition.liveSince),
    retrying_since: formatMomentOrNull(condition.retryingSince),
    last_error: condition.lastError,
    reconnects,
    created_at: formatMoment(created_at),
  }
}
