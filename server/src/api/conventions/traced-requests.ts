import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type OpenSpan, tracing } from '../../tracing/spans.ts'

/**
 * Makes each request a span while tracing is on, below the one that the caller names (`traceparent`). Its name is the route, because
 * paths may have secrets. Call it after tracing is switched on, and before the families are registered.
 */
export function useTracedRequests(app: FastifyInstance): void {
  const active = tracing()
  if (!active) return
  const open = new WeakMap<FastifyRequest, OpenSpan>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers } = request
    const route = (!request.is404 && request.routeOptions.url) || 'none'
    const parent = typeof headers.traceparent === 'string' ? headers.traceparent : undefined
    const facts = { 'http.request.method': method, 'http.route': route, 'parley.request_id': request.id }
    const span = active.begin(`${method} ${route}`, 'server', facts, parent)
    open.set(request, span)
    span.within(done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const span = open.get(request)
    span?.add({ 'http.response.status_code': reply.statusCode })
    span?.end(reply.statusCode >= 500)
    done()
  })
}
