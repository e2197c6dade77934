import type { FastifyInstance } from 'fastify'
import type { SignInOptions } from '../conventions/authentication.ts'
import { tokenHolder } from './token-holder.ts'

interface EmbeddingQuery {
  Querystring: { origin?: unknown }
}

/**
 * `GET /page/embedding`, see `pageFactRoutes`. The answer is advice: a browser keeps to the policy that the embedded page
 * came with. But that policy is made before anybody knows the token, so it admits what any project lists.
 */
export async function embeddingRoutes(app: FastifyInstance, options: SignInOptions): Promise<void> {
  const { embedOrigins } = options.services
  app.get<EmbeddingQuery>('/page/embedding', async (request, reply) => {
    const origin = String(request.query.origin)
    reply.header('cache-control', 'no-store')
    if (request.headers.authorization === undefined) {
      // Whoever may not embed asks from their own page, to say so there.
      reply.header('access-control-allow-origin', '*')
      return { allowed: await embedOrigins.isKnown(origin) }
    }
    const { project_id } = (await tokenHolder(request, reply, options)).claims
    return { allowed: await embedOrigins.allows(project_id, origin), project_id }
  })
}
