import { access } from 'node:fs/promises'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import { MEDIA_PATH } from '../../rooms/media-links.ts'
import { hasPreview } from '../../rooms/previews.ts'
import type { Services } from '../../services.ts'
import { useCrossOriginMedia } from '../conventions/cross-origin.ts'
import { isInItsSpace } from '../conventions/spaces.ts'

interface PreviewRequest {
  Params: { projectId: string; file: string }
  Querystring: { signature?: unknown }
}

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )

/** Serves the preview videos that `preview_url` points at, while their sessions last. */
export async function previewFileRoutes(
  app: FastifyInstance,
  { roomSessions, previews }: Pick<Services, 'roomSessions' | 'previews'>,
): Promise<void> {
  useCrossOriginMedia(app)
  await app.register(fastifyStatic, { root: previews.folder, serve: false })

  app.get<PreviewRequest>(`${MEDIA_PATH}/:projectId/previews/:file`, async (request, reply) => {
    const { projectId, file } = request.params
    const id = file.replace(/\.mp4$/, '')
    const isGood = previews.isGood(projectId, id, String(request.query.signature))
    // A link is a credential of the project, so it works only in the project's space.
    if (!isGood || !(await isInItsSpace(request, projectId))) throw new Refusal('link_invalid')
    const session = await roomSessions.get(projectId, id).catch(() => undefined)
    if (!session || !hasPreview(session) || !(await isThere(previews.file(id))))
      throw new Refusal('file_not_found')
    // The same link gives a new clip every few seconds.
    reply.header('cache-control', 'private, no-cache')
    return reply.sendFile(previews.fileName(id), { cacheControl: false })
  })
}
