import type { FastifyInstance } from 'fastify'
import type { SignInOptions } from './authentication.ts'

/** Lets everybody call all routes of this scope, without credentials, as often as an address may. */
export function useStrangers(app: FastifyInstance, { limits }: Pick<SignInOptions, 'limits'>): void {
  app.decorateRequest('caller', null)
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, forEverybody: true }
    route.schema = { ...route.schema, security: [] }
  })
  app.addHook('onRequest', async (request, reply) => limits.admitStranger(request, reply))
}
