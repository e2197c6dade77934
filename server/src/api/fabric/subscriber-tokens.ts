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
        operationId: 'createSubscriberToken',
        summary: 'Create tokens of a subscriber',
        description:
          'For the server of a project: an access token and a refresh token for one of its users. The subscriber is made at the first use of a `reference`. The access token lives two hours unless `expire_at` says otherwise.',
        tags: ['Subscribers and guests'],
        body: CreateSubscriberTokensBody,
        response: { 200: SubscriberTokens, ...errorAnswers(400, 401, 403, 422, 429, 500) },
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
        operationId: 'refreshSubscriberToken',
        summary: 'Refresh the tokens of a subscriber',
        description: 'Gives a new pair of tokens for a refresh token that has not expired.',
        tags: ['Subscribers and guests'],
        errorCodes: { 422: ['not_a_refresh_token', 'token_expired'] },
        body: RefreshTokensBody,
        response: { 201: RefreshedTokens, ...errorAnswers(400, 401, 403, 422, 429, 500) },
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
