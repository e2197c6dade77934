import type { FastifyInstance } from 'fastify'
import { preflightHeaders } from './cross-origin.ts'

/**
 * Makes every path answer OPTIONS with its methods (RFC 9110, section 9.3.7), without credentials and without a body.
 * Wildcard paths (files) do not. Call it before the routes are registered.
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
      // Checked at the request: the scope of the route may have set it after the registration.
      const crossOrigin = route.config?.crossOrigin
      if (crossOrigin) reply.headers(preflightHeaders(allowed, crossOrigin))
    })
  })
}
