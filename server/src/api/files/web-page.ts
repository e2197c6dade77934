import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/**
 * The pages for people, at `/`.
 * @param folder where they were built to; without them the server works, and `/` says that they are missing
 */
export async function webPageRoutes(app: FastifyInstance, folder: string): Promise<void> {
  if (!existsSync(join(folder, 'index.html'))) {
    app.get('/', async (_request, reply) =>
      reply.code(200).type('text/plain; charset=utf-8').send('The pages were not built: run `npm start`.\n'),
    )
    return
  }
  await app.register(fastifyStatic, {
    root: folder,
    decorateReply: false,
    cacheControl: false,
    setHeaders(reply, path) {
      // Names of built assets change with their content; the page that names them is always asked for.
      const isAsset = path.startsWith(join(folder, 'assets'))
      reply.header('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
}
