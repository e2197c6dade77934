import type { FastifyInstance } from 'fastify'
import type { Tallies } from '../../metrics/tallies.ts'

/**
 * Counts every answer by method, route and status, and how long it took. A route is a template, so there are as many as the server
 * has; other paths count as one. Call it before the families are registered.
 */
export function useCountedRequests(
  app: FastifyInstance,
  { requests, requestSeconds }: Pick<Tallies, 'requests' | 'requestSeconds'>,
): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = (!request.is404 && request.routeOptions.url) || 'none'
    const method = route === 'none' ? 'any' : request.method
    requests.add({ method, route, status: String(reply.statusCode) })
    requestSeconds.add(reply.elapsedTime / 1000, { route })
    done()
  })
}
