import type { FastifyInstance } from 'fastify'
import { preflightHeaders } from './cross-origin.ts'

/**
 * Every path answers OPTIONS with the methods it knows (RFC 9110, section 9.3.7), without credentials and without a
 * body. Paths that stand for many (files) do not. Call it before the routes are registered.
 */
export function useOptionsMethod(app: FastifyInstance): void {
  const methodsByPath = new Map<string, Set<string>>()
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat()
    if (methods.includes('OPTIONS') || route.url.endsWith('*')) return
    const known = methodsByPath.get(route.url)
    for (const method of methods) known?.add(method)
    if (known) return
    const all = new Set(['OPTIONS', ...methods])
    methodsByPath.set(route.url, all)
    app.options(route.url, async (_request, reply) => {
      const allowed = [...all].sort().join(', ')
      reply.code(204).header('allow', allowed)
      // Looked up now: the scope of the route may have said so only after it was registered.
      if (route.config?.crossOrigin) reply.headers(preflightHeaders(allowed))
    })
  })
}
