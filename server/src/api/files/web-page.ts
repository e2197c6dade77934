import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/**
 * What the pages may load and talk to. Radix locks the scrolling behind a dialog by a style element of its own; the
 * WebSocket is at the host that the room token names, which need not be the one in the address bar.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self' wss:",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

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
      reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
      reply.header('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
}
