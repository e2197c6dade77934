import type { FastifyInstance, RouteOptions } from 'fastify'
import { BASIC } from './security-schemes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The credentials are in the body of the request. */
    signsIn?: true
    /** Everybody may call it, without credentials. */
    forEverybody?: true
  }
}

/**
 * Prevents a start with an API route that is open to everybody, or to any API token. Each route must require a scope of
 * Basic credentials, or the token of an end user, unless it says that it is where people sign in,
 * or for everybody. Call it before the routes are registered.
 * @throws Error when the application becomes ready
 */
export function useRequiredScopes(app: FastifyInstance): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/api/') && route.method !== 'OPTIONS') routes.push(route)
  })
  app.addHook('onReady', async () => {
    // Checked here, because the scope of a route sets its credentials after the `onRoute` hook has run.
    const open = routes.filter((route) => !isProtected(route))
    if (open.length === 0) return
    const names = open.map(({ method, url }) => `${method} ${url}`).join(', ')
    throw new Error(`these routes want neither a scope nor the token of an end user: ${names}`)
  })
}

function isProtected({ schema, config }: RouteOptions): boolean {
  if (config?.signsIn || config?.forEverybody) return true
  const ways = schema?.security ?? []
  return ways.length > 0 && ways.every((way) => !(BASIC in way) || way[BASIC]?.length === 1)
}
