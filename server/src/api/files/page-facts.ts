import type { FastifyInstance, FastifyRequest } from 'fastify'
import { newId } from '../../ids.ts'
import { basicAdmission, callerOf, type SignInOptions } from '../conventions/authentication.ts'
import { embeddingRoutes } from './page-embedding.ts'
import { knockRoutes } from './page-knocks.ts'

/** Options of the routes that tell the server's own pages about the server. The answers may change with the pages. */
export interface PageFactsOptions extends SignInOptions {
  /** Hosts where clients of a request reach this server, each with its port unless that is 443. */
  hostsOf: (request: FastifyRequest) => readonly string[]
}

/**
 * Routes outside of the API, only for the server's own pages.
 *
 * `GET /page/server`, without credentials: the hosts that a room token may lead to, an id of this run of the
 * server, and the name of the OpenID provider, if people sign in by one. A page notices by this id that its call did not
 * survive a restart. With `room_session_id` the id is that of the session's run, whichever node of a cluster answers.
 *
 * `GET /page/embedding?origin=…`, with a conference token or a room token as bearer token: whether a page of that origin may
 * embed what the token is for. Without a token: whether it may embed anything here. Pages of other origins may ask the latter.
 *
 * `GET /page/project`, with Basic credentials: id and name of their project.
 */
export async function pageFactRoutes(app: FastifyInstance, options: PageFactsOptions): Promise<void> {
  const { services, hostsOf } = options
  const run = newId()
  app.get('/page/server', async (request, reply) => {
    const { room_session_id: id } = request.query as { room_session_id?: unknown }
    const ofSession = typeof id === 'string' ? await services.sessionRuns.runOf(id.slice(0, 100)) : null
    return reply
      .header('cache-control', 'no-store')
      .send({ run: ofSession ?? run, hosts: hostsOf(request), openid: services.openId?.name ?? null })
  })
  await app.register((open) => embeddingRoutes(open, options))
  await app.register((open) => knockRoutes(open, options))
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
