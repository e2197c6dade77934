import { ParleyError } from '../../errors/parley-error.ts'
import { nothingLeft } from '../../resources/bodies.ts'
import { NoContent } from '../../resources/building-blocks.ts'
import { errorAnswers } from '../../resources/error.ts'
import {
  CreateSubscriberTokensBody,
  RefreshedTokens,
  RefreshTokensBody,
  RevokeSubscriberBody,
  SubscriberTokens,
} from '../../resources/fabric.ts'
import { actorOf, callerOf } from '../conventions/authentication.ts'
import { noContent } from '../conventions/no-content.ts'
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
  app.post(
    '/subscribers/tokens/revoke',
    {
      schema: {
        operationId: 'revokeSubscriberTokens',
        summary: 'Revoke the tokens of a subscriber',
        description:
          'An addition of Parley. Makes all tokens of a subscriber void at once, and those of its guests. Name the subscriber by `subscriber_id` or by `reference`. It can be given new tokens.',
        tags: ['Subscribers and guests'],
        body: RevokeSubscriberBody,
        errorCodes: {
          404: ['does_not_exist'],
          422: ['missing_required_parameter', 'incompatible_parameters'],
        },
        response: { 204: NoContent, ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      await subscribers.revoke(caller.projectId, subscriberIn(request.body), actorOf(caller))
      return noContent(reply)
    },
  )
}

function subscriberIn({
  subscriber_id,
  reference,
  ...rest
}: RevokeSubscriberBody): { id: string } | { reference: string } {
  nothingLeft(rest)
  if (subscriber_id != null && reference != null) {
    const message = 'Give either `subscriber_id` or `reference`.'
    throw new ParleyError('invalid', { code: 'incompatible_parameters', attribute: 'reference', message })
  }
  if (subscriber_id != null) return { id: subscriber_id.toLowerCase() }
  if (reference != null) return { reference }
  const message = 'Name the subscriber by `subscriber_id` or by `reference`.'
  throw new ParleyError('invalid', {
    code: 'missing_required_parameter',
    attribute: 'subscriber_id',
    message,
  })
}

/** `POST /subscribers/tokens/refresh`, for the subscriber or for the back end. */
export function refreshRoutes(app: TypedApp, { subscribers, hostOf }: FabricContext): void {
  app.post(
    '/subscribers/tokens/refresh',
    {
      schema: {
        operationId: 'refreshSubscriberToken',
        summary: 'Refresh the tokens of a subscriber',
        description:
          'Gives a new pair of tokens for a refresh token that has not expired. Each refresh token works once. When it is used again, all tokens that came from the same sign-in are void: somebody has stolen it. Send an `Idempotency-Key`, so that a request whose answer was lost can be sent again.',
        tags: ['Subscribers and guests'],
        errorCodes: { 422: ['not_a_refresh_token', 'token_expired'] },
        body: RefreshTokensBody,
        response: { 201: RefreshedTokens, ...errorAnswers(400, 401, 403, 422, 429, 500) },
      },
    },
    async (request, reply) => {
      const { projectId } = callerOf(request)
      const options = { host: hostOf(request), projectId, by: request.grant?.subscriber_id ?? null }
      reply.code(201)
      return subscribers.refresh(request.body.refresh_token, options)
    },
  )
}
