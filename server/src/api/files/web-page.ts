import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { contentSecurityPolicy } from './content-security.ts'
import { isNavigation, PAGE_PATHS } from './page-paths.ts'

export interface WebPageOptions {
  /** Folder of the built pages. Without them the server works, and `/` says that they are missing. */
  folder: string
  /** Hosts where clients of a request reach this server, each with its port unless that is 443. */
  hostsOf: (request: FastifyRequest) => readonly string[]
}

const INDEX = 'index.html'
const isBuilt = (folder: string): boolean => existsSync(join(folder, INDEX))

/** The page that refers to the assets is always revalidated. */
const pageHeaders = (hosts: readonly string[]) => ({
  'content-security-policy': contentSecurityPolicy(hosts),
  'cache-control': 'no-cache',
})

/** Serves the pages for people at `/` and at {@link PAGE_PATHS}. */
export async function webPageRoutes(app: FastifyInstance, options: WebPageOptions): Promise<void> {
  const { folder, hostsOf } = options
  if (!isBuilt(folder)) {
    app.get('/', async (_request, reply) =>
      reply.code(200).type('text/plain; charset=utf-8').send('The pages were not built: run `npm start`.\n'),
    )
    return
  }
  await app.register(fastifyStatic, {
    root: folder,
    cacheControl: false,
    // The build wrote compressed copies beside the files (web/build/compressed-copies.ts).
    preCompressed: true,
    setHeaders(reply, path) {
      reply.headers(pageHeaders(hostsOf(reply.request)))
      // Names of built assets change with their content, so they can be cached.
      if (path.startsWith(join(folder, 'assets'))) {
        reply.header('cache-control', 'public, max-age=31536000, immutable')
      }
    },
  })
  for (const path of PAGE_PATHS.flatMap((one) => [one, `${one}/`])) {
    app.get(path, { schema: { hide: true } }, (request, reply) => {
      if (!isNavigation(request) || !isNamed(request)) return reply.callNotFound()
      return reply.header('vary', 'accept').sendFile(INDEX)
    })
  }
}

/** The router also takes an empty text for a parameter. */
const isNamed = ({ params }: FastifyRequest): boolean => !Object.values(params as object).includes('')

/** Answers a request for a path that nothing has. @returns null if it is not for a page */
export type UnknownPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null

/** Answers people who opened an unknown address with the page, which then says so. The status is 404. */
export function unknownPage({ folder, hostsOf }: WebPageOptions): UnknownPage {
  return (request, reply) => {
    if (!isNavigation(request) || !isBuilt(folder)) return null
    return reply
      .code(404)
      .headers(pageHeaders(hostsOf(request)))
      .header('vary', 'accept')
      .type('text/html; charset=utf-8')
      .send(createReadStream(join(folder, INDEX)))
  }
}
