import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AssetsElsewhere } from '../../cluster/pipes/assets-elsewhere.ts'
import type { Services } from '../../services.ts'
import type { RateLimits } from '../conventions/rate-limits.ts'
import { ASSETS, assetRoutes } from './asset-routes.ts'
import { contentSecurityPolicy, type PagePolicy } from './content-security.ts'
import { EMBED_PATH, isNavigation, PAGE_PATHS } from './page-paths.ts'

export interface WebPageOptions {
  /** Folder of the built pages. Without them the server works, and `/` says that they are missing. */
  folder: string
  /** Hosts where clients of a request reach this server, each with its port unless that is 443. */
  hostsOf: (request: FastifyRequest) => readonly string[]
  mediaOrigin: PagePolicy['mediaOrigin']
  embedOrigins: Pick<Services['embedOrigins'], 'isKnown'>
  /** Null without other nodes. */
  elsewhere: AssetsElsewhere | null
  limits: Pick<RateLimits, 'admitNode'>
}

const INDEX = 'index.html'
const isBuilt = (folder: string): boolean => existsSync(join(folder, INDEX))

/**
 * Digest of the built pages: names of assets change with their content, and the page refers to them.
 * @returns '' when they were not built
 */
export function digestOfPages(folder: string): string {
  if (!isBuilt(folder)) return ''
  return createHash('sha256')
    .update(readFileSync(join(folder, INDEX)))
    .digest('base64url')
}

/** The page that refers to the assets is always revalidated. */
const pageHeaders = (policy: PagePolicy) => ({
  'content-security-policy': contentSecurityPolicy(policy),
  // A browser that revalidates a page keeps the policy of the stored one. That of the embedded page may change.
  'cache-control': policy.framedBy === null ? 'no-cache' : 'no-store',
})

/**
 * The script that other sites load by a fixed address (docs/embedding.md). It is kept for five minutes, so that a new
 * version of the server gets through soon.
 */
const EMBED_SCRIPT = 'embed.js'
const EMBED_SCRIPT_HEADERS = {
  'cache-control': 'public, max-age=300',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

/** Serves the pages for people at `/` and at {@link PAGE_PATHS}. */
export async function webPageRoutes(app: FastifyInstance, options: WebPageOptions): Promise<void> {
  const { folder, hostsOf, mediaOrigin, embedOrigins, elsewhere, limits } = options
  /** Who may frame the answer to a request for the embedded page. */
  const framers = new WeakMap<FastifyRequest, readonly string[]>()
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
      const { request } = reply
      reply.headers(
        pageHeaders({ hosts: hostsOf(request), mediaOrigin, framedBy: framers.get(request) ?? null }),
      )
      // Names of built assets change with their content, so they can be cached.
      if (path.startsWith(join(folder, ASSETS))) {
        reply.header('cache-control', 'public, max-age=31536000, immutable')
      }
      if (path.startsWith(join(folder, EMBED_SCRIPT))) reply.headers(EMBED_SCRIPT_HEADERS)
    },
  })
  if (elsewhere) assetRoutes(app, { folder, elsewhere, limits })
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.url?.replace(/\/$/, '') !== EMBED_PATH) return
    framers.set(request, await framersOf(request, embedOrigins))
  })
  for (const path of PAGE_PATHS.flatMap((one) => (one.endsWith('*') ? [one] : [one, `${one}/`]))) {
    app.get(path, { schema: { hide: true } }, (request, reply) => {
      if (!isNavigation(request) || !isNamed(request)) return reply.callNotFound()
      return reply.header('vary', 'accept').sendFile(INDEX)
    })
  }
}

/**
 * The origin that wants to frame the page, as it names itself. If it lies, the browser does not show the frame, because it
 * compares with the real one.
 */
async function framersOf(
  { query }: FastifyRequest,
  embedOrigins: WebPageOptions['embedOrigins'],
): Promise<string[]> {
  const { parent } = query as { parent?: unknown }
  return typeof parent === 'string' && (await embedOrigins.isKnown(parent)) ? [parent] : []
}

/** The router also takes an empty text for a parameter. */
const isNamed = ({ params }: FastifyRequest): boolean => !Object.values(params as object).includes('')

/** Answers a request for a path that nothing has. @returns null if it is not for a page */
export type UnknownPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null

/** Answers people who opened an unknown address with the page, which then says so. The status is 404. */
export function unknownPage({
  folder,
  hostsOf,
  mediaOrigin,
}: Pick<WebPageOptions, 'folder' | 'hostsOf' | 'mediaOrigin'>): UnknownPage {
  return (request, reply) => {
    if (!isNavigation(request) || !isBuilt(folder)) return null
    return reply
      .code(404)
      .headers(pageHeaders({ hosts: hostsOf(request), mediaOrigin, framedBy: null }))
      .header('vary', 'accept')
      .type('text/html; charset=utf-8')
      .send(createReadStream(join(folder, INDEX)))
  }
}
