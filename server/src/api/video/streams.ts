import { shower } from '../../resources/answers.ts'
import { nothingLeft } from '../../resources/bodies.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import { Stream, StreamBody, streamFields } from '../../resources/stream.ts'
import type { ShownStream, StreamOwner } from '../../rooms/streams.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { AnyIdParams, pathId } from '../conventions/path-id.ts'

const tag = 'Streams'
/** The published API lists no 400 for operations on streams, so a missing url counts as an invalid one. */
const incompleteStatus = 422

/** Streams: two operations on the streams of a room, two on the streams of a conference, three on a single stream. */
export const streamOperations: Operation[] = [
  ...ownedStreamOperations('room', '/rooms/:id/streams', 201),
  ...ownedStreamOperations('conference', '/conferences/:id/streams'),

  operation(
    {
      route: 'GET /streams/:id',
      operationId: 'getStream',
      summary: 'Get a stream',
      description: 'One stream, with the measures of the picture that it carries.',
      tag,
      params: AnyIdParams,
      answer: Stream,
      hasSecrets: true,
      // The address of a stream contains its key.
      right: 'operate',
    },
    async ({ projectId, params }, { streams }) => showStream(await streams.get(projectId, pathId(params))),
  ),

  operation(
    {
      route: 'PUT /streams/:id',
      operationId: 'updateStream',
      summary: 'Update a stream',
      description: 'Sends it to another address; one that runs goes there at once.',
      tag,
      errorCodes: { 422: ['url_failed_to_parse', 'url_is_unsafe'] },
      incompleteStatus,
      params: AnyIdParams,
      body: StreamBody,
      answer: Stream,
    },
    async ({ projectId, params, body }, { streams }) =>
      showStream(await streams.update(projectId, pathId(params), readUrl(body))),
  ),

  operation(
    {
      route: 'DELETE /streams/:id',
      operationId: 'deleteStream',
      summary: 'Delete a stream',
      description: 'One that runs is stopped.',
      tag,
      params: AnyIdParams,
    },
    async ({ projectId, params }, { streams }) => streams.delete(projectId, pathId(params)),
  ),
]

/**
 * @param status status of the answer to a new stream, if not 200; the published API differs between rooms and
 * conferences
 */
function ownedStreamOperations(
  owner: StreamOwner,
  path: `/${string}`,
  status?: 201,
): [list: Operation, create: Operation] {
  const title = owner === 'room' ? 'Room' : 'Conference'
  const list = operation(
    {
      route: `GET ${path}`,
      operationId: `list${title}Streams`,
      summary: `List streams of a ${owner}`,
      description: 'Newest first. They are few: one page has all of them unless a smaller one is asked for.',
      tag,
      params: AnyIdParams,
      query: PagingQuery,
      answer: Page(Stream),
      hasSecrets: true,
      // The address of a stream contains its key.
      right: 'operate',
    },
    async (request, { streams }) => {
      const id = pathId(request.params)
      const page = await streams.listOf(request.projectId, owner, id, request.listRequest)
      return request.answerPage(page, showStream, (stream) => stream.created_at)
    },
  )
  const create = operation(
    {
      route: `POST ${path}`,
      operationId: `create${title}Stream`,
      summary: `Create a stream of a ${owner}`,
      description: 'It starts at once where a session is in progress, else with the next, and stops with it.',
      tag,
      errorCodes: { 422: ['url_failed_to_parse', 'url_is_unsafe', 'exceeds_platform_stream_limit'] },
      incompleteStatus,
      params: AnyIdParams,
      body: StreamBody,
      answer: Stream,
      ...(status && { status }),
    },
    async ({ projectId, params, body }, { streams }) =>
      showStream(await streams.create(projectId, owner, pathId(params), readUrl(body))),
  )
  return [list, create]
}

function readUrl({ url, ...rest }: StreamBody): string {
  nothingLeft(rest)
  return url
}

const showFields = shower(streamFields, 'stream')

function showStream(stream: ShownStream): Stream {
  const { url, width, height, fps, condition } = stream
  return showFields(stream, {
    url,
    stream_type: 'rtmp',
    width,
    height,
    fps,
    status: condition.status,
    live_since: condition.liveSince,
    retrying_since: condition.retryingSince,
    last_error: condition.lastError,
  })
}
