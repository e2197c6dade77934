import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Spaces } from '../../projects/spaces.ts'

declare module 'fastify' {
  interface FastifyInstance {
    spaces: Spaces
  }
}

/** Gives every convention access to the spaces and their hosts. */
export function useSpaces(app: FastifyInstance, spaces: Spaces): void {
  app.decorate('spaces', spaces)
}

/** Whether the credentials of a project work at the host that a request was sent to. */
export function isInItsSpace(request: FastifyRequest, projectId: string): boolean | Promise<boolean> {
  return request.server.spaces.admits(projectId, request.host ?? '')
}
