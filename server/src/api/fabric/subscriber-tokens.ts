import { errorAnswers } from '../../schemas/error.ts'
import {
  CreateSubscriberTokensBody,
  RefreshedTokens,
  RefreshTokensBody,
  SubscriberTokens,
} from '../../schemas/fabric.ts'
import { callerOf } from '../conventions/authentication.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import { readExpiry } from './expiry.ts'
import type { FabricContext } from './fabric-routes.ts'

/** `POST /subscribers/tokens`, for the back end of a project. */
export function subscriberTokenRoutes(app: TypedApp, { subscribers, hostOf }: FabricContext): void {
  app.post(
    '/subscribers/tokens',
    {
      schema: {
        body: CreateSubscriberTokensBody,
        response: { 200: SubscriberTokens, ...errorAnswers(400, 401, 422, 429, 500) },
      },
    },
    async (request) => {
      const { reference, expire_at } = request.body
      const options = { expiresAt: readExpiry(expire_at), host: hostOf(request) }
      return subscribers.createTokens(callerOf(request).projectId, reference, options)
    },
  )
}

/** `POST /subscribers/tokens/refresh`, for the subscriber or for the back end. */
export function refreshRoutes(app: TypedApp, { subscribers, hostOf }: FabricContext): void {
  app.post(
    '/subscribers/tokens/refresh',
    {
      schema: {
        body: RefreshTokensBody,
        response: { 201: RefreshedTokens, ...errorAnswers(400, 401, 422, 429, 500) },
      },
    },
    async (request, reply) => {
      const { projectId } = callerOf(request)
      const options = { host: hostOf(request), projectId }
      reply.code(201)
      return subscribers.refresh(request.body.refresh_token, options)
    },
  )
}
