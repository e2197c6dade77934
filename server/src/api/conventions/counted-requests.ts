import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Histogram } from '../../metrics/counts.ts'
import type { Tallies } from '../../metrics/tallies.ts'

/**
 * Counts every answer by method, route and status, and how long it took. A route is a template, so there are as many as the server
 * has; other paths count as one. Call it before the families are registered.
 */
export function useCountedRequests(
  app: FastifyInstance,
  { requests, requestSeconds }: Pick<Tallies, 'requests' | 'requestSeconds'>,
): void {
  /** Keeps the counts of a route: to find them by their labels takes longer than all the rest. */
  function counting(route: string): (method: string, reply: FastifyReply) => void {
    const counts = new Map<string, { count: number }>()
    let durations: Histogram | null = null
    return (method, { statusCode, elapsedTime }) => {
      const key = `${method} ${statusCode}`
      const known = counts.get(key) ?? requests.of({ method, route, status: String(statusCode) })
      counts.set(key, known)
      known.count++
      durations ??= requestSeconds.of({ route })
      durations.add(elapsedTime / 1000)
    }
  }

  app.addHook('onRoute', (route) => {
    const count = counting(route.url)
    const others = [route.onResponse ?? []].flat()
    route.onResponse = [
      ...others,
      (request, reply, done) => {
        if (!request.is404) count(request.method, reply)
        done()
      },
    ]
  })
  const countOther = counting('none')
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) countOther('any', reply)
    done()
  })
}
