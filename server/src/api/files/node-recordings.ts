import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { PROOF_HEADER } from '../../cluster/pipes/link-proof.ts'
import { Refusal } from '../../errors/refusal.ts'
import { RECORDING_OF_NODE_PATH, type RecordingsElsewhere } from '../../rooms/recordings-elsewhere.ts'
import type { Services } from '../../services.ts'
import type { RateLimits } from '../conventions/rate-limits.ts'
import { useStrongEtags } from './strong-etags.ts'

/** Gives the files on this disk to the other nodes of the cluster, which have checked the links of those who ask them. */
export async function nodeRecordingRoutes(
  app: FastifyInstance,
  {
    recordings,
    elsewhere,
    limits,
  }: Pick<Services, 'recordings'> & { elsewhere: RecordingsElsewhere; limits: RateLimits },
): Promise<void> {
  useStrongEtags(app)
  await app.register(fastifyStatic, { root: recordings.folder, serve: false })

  app.get(RECORDING_OF_NODE_PATH, async (request, reply) => {
    const asked = elsewhere.admit(request.raw)
    if (!asked) throw new Refusal('file_not_found')
    limits.admitNode(request)
    reply.header(PROOF_HEADER, asked.proof)
    const recording = await recordings.get(asked.projectId, asked.recordingId)
    if (recording.status !== 'completed') throw new Refusal('file_not_found')
    return reply.sendFile(recording.file, { cacheControl: false })
  })
}
