import { shower } from '../../resources/answers.ts'
import { NoContent } from '../../resources/building-blocks.ts'
import { errorAnswers } from '../../resources/error.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import { Stream, StreamBody, streamFields } from '../../resources/stream.ts'
import type { ShownStream, StreamOwner } from '../../rooms/streams.ts'
import { callerOf } from '../conventions/authentication.ts'
import { noContent } from '../conventions/no-content.ts'
import { AnyIdParams, pathId } from '../conventions/path-id.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import type { VideoContext } from './video-context.ts'

/** None of these operations lists 400, so that an address that is absent is one that is wrong. */
const config = { incompleteStatus: 422 } as const
const tags = ['Streams']

/** Streams: three operations on one, two on those of a room, two on those of a conference. */
export function streamRoutes(app: TypedApp, context: VideoContext): void {
  ownedStreamRoutes(app, context, { path: '/rooms/:id/streams', owner: 'room', created: 201 })
  ownedStreamRoutes(app, context, { path: '/conferences/:id/streams', owner: 'conference', created: 200 })
  const { streams } = context

  app.get(
    '/streams/:id',
    {
      schema: {
        operationId: 'getStream',
        summary: 'Get a stream',
        description: 'One stream, with the measures of the picture that it carries.',
        tags,
        params: AnyIdParams,
        response: { 200: Stream, ...errorAnswers(400, 401, 403, 404, 429, 500) },
      },
    },
    async (request) => showStream(await streams.get(callerOf(request).projectId, pathId(request.params))),
  )

  app.put(
    '/streams/:id',
    {
      config,
      schema: {
        operationId: 'updateStream',
        summary: 'Update a stream',
        description: 'Sends it to another address; one that runs goes there at once.',
        tags,
        errorCodes: { 422: ['url_failed_to_parse', 'url_is_unsafe'] },
        params: AnyIdParams,
        body: StreamBody,
        response: { 200: Stream, ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
    },
    async (request) => {
      const { projectId } = callerOf(request)
      return showStream(await streams.update(projectId, pathId(request.params), request.body.url))
    },
  )

  app.delete(
    '/streams/:id',
    {
      schema: {
        operationId: 'deleteStream',
        summary: 'Delete a stream',
        description: 'One that runs is stopped.',
        tags,
        params: AnyIdParams,
        response: { 204: NoContent, ...errorAnswers(400, 401, 403, 404, 429, 500) },
      },
    },
    async (request, reply) => {
      await streams.delete(callerOf(request).projectId, pathId(request.params))
      return noContent(reply)
    },
  )
}

/** @param created status of the answer to a new one: the published interface has it both ways */
function ownedStreamRoutes(
  app: TypedApp,
  { streams, paging }: VideoContext,
  { path, owner, created }: { path: string; owner: StreamOwner; created: 200 | 201 },
): void {
  const title = owner === 'room' ? 'Room' : 'Conference'
  // One of the two is there; which, the type cannot say.
  const answer = { [created]: Stream } as Record<200 | 201, typeof Stream>

  app.get(
    path,
    {
      schema: {
        operationId: `list${title}Streams`,
        summary: `List streams of a ${owner}`,
        description:
          'Newest first. They are few: one page has all of them unless a smaller one is asked for.',
        tags,
        params: AnyIdParams,
        querystring: PagingQuery,
        response: { 200: Page(Stream), ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
      preValidation: paging.restoreParameters,
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const id = pathId(request.params)
      const page = await streams.listOf(projectId, owner, id, paging.listRequest(request))
      return paging.answer(request, page, showStream, (stream) => stream.created_at)
    },
  )

  app.post(
    path,
    {
      config,
      schema: {
        operationId: `create${title}Stream`,
        summary: `Create a stream of a ${owner}`,
        description:
          'It starts at once where a session is in progress, else with the next, and stops with it.',
        tags,
        errorCodes: { 422: ['url_failed_to_parse', 'url_is_unsafe', 'exceeds_platform_stream_limit'] },
        params: AnyIdParams,
        body: StreamBody,
        response: { ...answer, ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
    },
    async (request, reply) => {
      const { projectId } = callerOf(request)
      const stream = await streams.create(projectId, owner, pathId(request.params), request.body.url)
      return reply.code(created).send(showStream(stream))
    },
  )
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
