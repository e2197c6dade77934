import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import { MEDIA_PATH } from '../../rooms/media-links.ts'
import type { Services } from '../../services.ts'
import { useCrossOriginMedia } from '../conventions/cross-origin.ts'
import { isInItsSpace } from '../conventions/spaces.ts'
import { sendRecording } from './send-recording.ts'
import { useStrongEtags } from './strong-etags.ts'

interface MediaRequest {
  Params: { projectId: string; file: string }
  Querystring: { expires?: unknown; signature?: unknown }
}

const gone = () => new Refusal('file_not_found')

/** Serves the media behind signed links: complete, in ranges, or only their headers. */
export async function recordingFileRoutes(
  app: FastifyInstance,
  {
    recordings,
    mediaLinks,
    storedMedia,
    recordingsElsewhere,
  }: Pick<Services, 'recordings' | 'mediaLinks' | 'storedMedia' | 'recordingsElsewhere'>,
): Promise<void> {
  useCrossOriginMedia(app)
  useStrongEtags(app)
  await app.register(fastifyStatic, { root: recordings.folder, serve: false })

  app.get<MediaRequest>(`${MEDIA_PATH}/:projectId/recordings/:file`, async (request, reply) => {
    const { projectId, file } = request.params
    const { expires, signature } = request.query
    const id = file.replace(/\.mp4$/, '')
    const verdict = mediaLinks.check(projectId, id, String(expires), String(signature))
    // A link is a credential of the project, so it works only in the project's space.
    if (verdict === 'forged' || !(await isInItsSpace(request, projectId))) throw new Refusal('link_invalid')
    if (verdict === 'expired') throw new Refusal('link_expired')
    const recording = await recordings.get(projectId, id).catch(() => undefined)
    if (recording?.status !== 'completed') throw gone()

    // The link is a credential, so its content must not stay in a shared cache.
    reply.header('cache-control', 'private, max-age=0')
    return sendRecording(request, reply, recording, {
      folder: recordings.folder,
      stored: storedMedia,
      elsewhere: recordingsElsewhere,
    })
  })
}
