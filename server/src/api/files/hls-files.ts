import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import type { WantedEnd, WatchedSession } from '../../rooms/hls/watching.ts'
import { MEDIA_PATH } from '../../rooms/media-links.ts'
import type { Services } from '../../services.ts'
import { useCrossOriginMedia } from '../conventions/cross-origin.ts'
import { isInItsSpace } from '../conventions/spaces.ts'
import { HlsRequests } from './hls-requests.ts'

interface HlsRequest {
  Params: { projectId: string; sessionId: string; signature: string; file: string }
  Querystring: { _HLS_msn?: unknown; _HLS_part?: unknown }
}

/** A playlist that was asked for by what it must have never changes for that request. Six target durations. */
const KEEP_ANSWERED = 'public, max-age=24'
/** Asked for without that, it is new twice a second. */
const KEEP_NEWEST = 'public, max-age=1'
/** Names are never used again. */
const KEEP_MEDIA = 'public, max-age=3600, immutable'

/**
 * Serves sessions over HLS behind signed links: the playlist, and segments and parts. All of it may be cached by a CDN.
 * Any node answers, whichever has the session.
 */
export async function hlsFileRoutes(
  app: FastifyInstance,
  { broadcasts, watching }: Pick<Services, 'broadcasts' | 'watching'>,
): Promise<void> {
  useCrossOriginMedia(app)
  const requests = new HlsRequests()

  async function watchedBy(request: FastifyRequest<HlsRequest>): Promise<WatchedSession> {
    const { projectId, sessionId, signature } = request.params
    const isGood = broadcasts.isGood(projectId, sessionId, signature)
    // A link is a credential of the project, so it works only in the project's space.
    if (!isGood || !(await isInItsSpace(request, projectId))) throw new Refusal('link_invalid')
    return { projectId, sessionId }
  }

  const path = `${MEDIA_PATH}/:projectId/hls/:sessionId/:signature`

  app.get<HlsRequest>(`${path}/index.m3u8`, async (request, reply) => {
    const watched = await watchedBy(request)
    const wanted = wantedOf(request.query)
    const answer = await requests.during(watched, request, reply, () =>
      watching.playlist(watched, wanted, isGone(request)),
    )
    if ('goesOnAt' in answer) return reply.header('cache-control', KEEP_NEWEST).redirect(answer.goesOnAt, 307)
    return reply
      .type('application/vnd.apple.mpegurl')
      .header('cache-control', wanted ? KEEP_ANSWERED : KEEP_NEWEST)
      .send(answer.text)
  })

  app.get<HlsRequest>(`${path}/:file`, async (request, reply) => {
    const watched = await watchedBy(request)
    const { length, content } = await requests.during(watched, request, reply, () =>
      watching.media(watched, request.params.file, isGone(request)),
    )
    reply.header('cache-control', KEEP_MEDIA).type('video/mp4').header('content-length', length)
    return reply.send(content)
  })
}

const isGone =
  ({ raw }: FastifyRequest<HlsRequest>) =>
  () =>
    raw.socket.destroyed

/** @throws Refusal `invalid_parameter` */
function wantedOf({ _HLS_msn, _HLS_part }: HlsRequest['Querystring']): WantedEnd | null {
  if (_HLS_msn === undefined && _HLS_part === undefined) return null
  const segment = Number(_HLS_msn)
  const part = _HLS_part === undefined ? null : Number(_HLS_part)
  if (!Number.isSafeInteger(segment) || (part !== null && !Number.isSafeInteger(part))) {
    throw new Refusal('invalid_parameter', {
      attribute: '_HLS_msn',
      message: 'must be the number of a segment',
    })
  }
  return { segment, part }
}
