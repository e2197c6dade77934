import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { contentSecurityPolicy } from './content-security.ts'

export interface WebPageOptions {
  /** Folder of the built pages. Without them the server works, and `/` says that they are missing. */
  folder: string
  /** Hosts where clients of a request reach this server, each with its port unless that is 443. */
  hostsOf: (request: FastifyRequest) => readonly string[]
}

/** Serves the pages for people at `/`. */
export async function webPageRoutes(app: FastifyInstance, options: WebPageOptions): Promise<void> {
  const { folder, hostsOf } = options
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
      // Names of built assets change with their content, so they can be cached. The page that refers to them is always
      // revalidated.
      const isAsset = path.startsWith(join(folder, 'assets'))
      reply.header('content-security-policy', contentSecurityPolicy(hostsOf(reply.request)))
      reply.header('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
}
