import { callerOf, useBasicAuthentication } from './conventions/authentication.ts'
import type { Family } from './conventions/family.ts'
import { useNoStore } from './conventions/no-store.ts'
import { checkOperator } from './dashboard/operator-only.ts'

/**
 * `GET /metrics`: the figures of the server for Prometheus. They are of all projects, so an API token of the first project is
 * needed, with the scope `management`.
 */
export const metricsFamily: Family = async (app, options) => {
  const { metrics, operatorProjectId } = options.services
  useNoStore(app)
  useBasicAuthentication(app, options, 'management')
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    checkOperator(callerOf(request).projectId, { operatorProjectId })
    return reply.type(metrics.contentType).send(await metrics.text())
  })
}
