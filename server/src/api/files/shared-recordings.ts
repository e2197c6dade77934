import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import { isPlayable, SHARED_PATH } from '../../rooms/recording-shares.ts'
import type { Services } from '../../services.ts'
import type { RateLimits } from '../conventions/rate-limits.ts'
import { isInItsSpace } from '../conventions/spaces.ts'
import { sendRecording } from './send-recording.ts'
import { useStrongEtags } from './strong-etags.ts'

interface SharedRequest {
  Querystring: { key?: unknown }
}

/** Plays recordings behind the links by which they are shared: complete, in ranges, or only their headers. */
export async function sharedRecordingRoutes(
  app: FastifyInstance,
  {
    services: { recordings, recordingShares, storedMedia, recordingsElsewhere, clock },
    limits,
  }: {
    services: Pick<
      Services,
      'recordings' | 'recordingShares' | 'storedMedia' | 'recordingsElsewhere' | 'clock'
    >
    limits: RateLimits
  },
): Promise<void> {
  useStrongEtags(app)
  await app.register(fastifyStatic, { root: recordings.folder, serve: false })

  app.get<SharedRequest>(SHARED_PATH, async (request, reply) => {
    const secret = String(request.query.key)
    // The look-up counts a link that was not found.
    const share = await limits.lookUp(request, reply, () => recordingShares.read(secret), secret)
    if (!share || !(await isInItsSpace(request, share.project_id))) throw new Refusal('link_invalid')
    limits.admitVisitor(share.project_id, request, reply)
    if (share.expires_at <= clock.now()) throw new Refusal('link_expired')
    const recording = await recordings.get(share.project_id, share.recording_id).catch((error: unknown) => {
      if (error instanceof Refusal) return undefined
      throw error
    })
    if (!recording || !isPlayable(recording)) throw new Refusal('file_not_found')
    // The link is a credential, and may be revoked: each use of the stored copy asks again.
    reply.header('cache-control', 'private, no-cache')
    reply.header('referrer-policy', 'no-referrer')
    reply.header('x-robots-tag', 'noindex')
    return sendRecording(request, reply, recording, {
      folder: recordings.folder,
      stored: storedMedia,
      elsewhere: recordingsElsewhere,
    })
  })
}
