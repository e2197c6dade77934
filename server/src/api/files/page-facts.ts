import type { FastifyInstance, FastifyRequest } from 'fastify'
import { newId } from '../../ids.ts'
import { basicAdmission, callerOf, type SignInOptions } from '../conventions/authentication.ts'

/** What the pages ask about the server. Its answers are for our own pages and may change with them. */
export interface PageFactsOptions extends SignInOptions {
  /** Hosts, each with its port unless that is 443, where clients of a request reach this server. */
  hostsOf: (request: FastifyRequest) => readonly string[]
}

/**
 * Two routes beside the API, for our own pages alone.
 *
 * `GET /page/server`, without credentials: the hosts that a room token may lead to, and an id of this run of the server,
 * by which a page notices that its call did not outlive a restart.
 *
 * `GET /page/project`, with Basic credentials: id and name of the project that they belong to.
 */
export async function pageFactRoutes(app: FastifyInstance, options: PageFactsOptions): Promise<void> {
  const { services, hostsOf } = options
  const run = newId()
  app.get('/page/server', async (request, reply) =>
    reply.header('cache-control', 'no-store').send({ run, hosts: hostsOf(request) }),
  )
  await app.register(async (guarded) => {
    guarded.decorateRequest('caller', null)
    const admit = basicAdmission(options, 'video')
    guarded.get(
      '/page/project',
      { onRequest: async (request, reply) => admit(request, reply) },
      async (request, reply) => {
        const { projectId } = callerOf(request)
        const project = await services.projects.find(projectId)
        return reply
          .header('cache-control', 'no-store')
          .send({ id: projectId, name: project?.name ?? projectId })
      },
    )
  })
}
