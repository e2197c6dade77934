import type { FastifyRequest } from 'fastify'

/** The page that other sites embed. It alone may be framed. */
export const EMBED_PATH = '/embed'

/**
 * Paths of the views of the page besides `/`. The page itself reads the address: see `parseRoute` in
 * `web/src/routes.ts`.
 */
export const PAGE_PATHS = [
  '/rooms/:name',
  '/rooms/:name/join',
  '/join',
  '/sign-in',
  '/c/:name',
  '/watch',
  EMBED_PATH,
  '/dashboard',
  '/dashboard/*',
] as const

/** Programs ask below these paths, even if their requests accept HTML: the API, and the files of the pages. */
const FOR_PROGRAMS = /^\/(api|2010-04-01|page|docs|assets)(\/|\?|$)/i

/** Whether a request comes from a person who opened an address in a browser, so that a page is the right answer. */
export function isNavigation({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return (headers.accept ?? '').toLowerCase().includes('text/html') && !FOR_PROGRAMS.test(url)
}
