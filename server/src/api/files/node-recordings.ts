import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PROOF_HEADER } from '../../cluster/pipes/link-proof.ts'
import { Refusal } from '../../errors/refusal.ts'
import {
  POSTER_OF_NODE_PATH,
  RECORDING_OF_NODE_PATH,
  type RecordingsElsewhere,
} from '../../rooms/recordings-elsewhere.ts'
import type { Services } from '../../services.ts'
import type { RecordingRecord } from '../../storage/records.ts'
import type { RateLimits } from '../conventions/rate-limits.ts'
import { KEEP_POSTER } from './poster-files.ts'
import { useStrongEtags } from './strong-etags.ts'

/** Gives the files on this disk to the other nodes of the cluster, which have checked the links of those who ask them. */
export async function nodeRecordingRoutes(
  app: FastifyInstance,
  {
    recordings,
    posters,
    elsewhere,
    limits,
  }: Pick<Services, 'recordings' | 'posters'> & { elsewhere: RecordingsElsewhere; limits: RateLimits },
): Promise<void> {
  useStrongEtags(app)
  await app.register(fastifyStatic, { root: recordings.folder, serve: false })

  async function askedFor(request: FastifyRequest, reply: FastifyReply): Promise<RecordingRecord> {
    const asked = elsewhere.admit(request.raw)
    if (!asked) throw new Refusal('file_not_found')
    limits.admitNode(request)
    reply.header(PROOF_HEADER, asked.proof)
    return recordings.get(asked.projectId, asked.recordingId)
  }

  app.get(RECORDING_OF_NODE_PATH, async (request, reply) => {
    const recording = await askedFor(request, reply)
    if (recording.status !== 'completed') throw new Refusal('file_not_found')
    return reply.sendFile(recording.file, { cacheControl: false })
  })

  app.get(POSTER_OF_NODE_PATH, async (request, reply) => {
    const poster = await posters.of(await askedFor(request, reply))
    if (!poster) throw new Refusal('file_not_found')
    return reply.header('cache-control', KEEP_POSTER).sendFile(poster, { cacheControl: false })
  })
}
