import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import { MEDIA_PATH } from '../../rooms/media-links.ts'
import { POSTER_OF_NODE_PATH } from '../../rooms/recordings-elsewhere.ts'
import type { Services } from '../../services.ts'
import { isInItsSpace } from '../conventions/spaces.ts'
import { fromOtherNode } from './from-other-node.ts'

/** A poster never changes, and neither does its link for some hours. */
export const KEEP_POSTER = 'private, max-age=43200, immutable'

interface PosterRequest {
  Params: { projectId: string; file: string }
  Querystring: { expires?: unknown; signature?: unknown }
}

/** Serves the posters of recordings behind signed links. One that is not there yet is made first. */
export async function posterFileRoutes(
  app: FastifyInstance,
  {
    recordings,
    posters,
    storedMedia,
    mediaLinks,
    recordingsElsewhere: elsewhere,
  }: Pick<Services, 'recordings' | 'posters' | 'storedMedia' | 'mediaLinks' | 'recordingsElsewhere'>,
): Promise<void> {
  await app.register(fastifyStatic, { root: recordings.folder, serve: false })

  app.get<PosterRequest>(`${MEDIA_PATH}/:projectId/posters/:file`, async (request, reply) => {
    const { projectId, file } = request.params
    const { expires, signature } = request.query
    const id = file.replace(/\.webp$/, '')
    const verdict = mediaLinks.checkPoster(projectId, id, String(expires), String(signature))
    if (verdict === 'forged' || !(await isInItsSpace(request, projectId))) throw new Refusal('link_invalid')
    if (verdict === 'expired') throw new Refusal('link_expired')
    const recording = await recordings.get(projectId, id).catch(() => undefined)
    const isStored = recording?.place === 'store' && storedMedia !== null
    const poster =
      recording && (isStored ? await storedMedia.readPoster(recording) : await posters.of(recording))
    if (!poster) {
      const answer =
        recording &&
        !isStored &&
        elsewhere &&
        (await fromOtherNode(request, reply, recording, elsewhere, POSTER_OF_NODE_PATH))
      if (answer) return answer
      throw new Refusal('file_not_found')
    }
    reply.header('cache-control', KEEP_POSTER)
    if (typeof poster !== 'string') return reply.type('image/webp').send(poster)
    return reply.sendFile(poster, { cacheControl: false })
  })
}
