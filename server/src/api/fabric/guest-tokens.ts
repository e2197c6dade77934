import { errorAnswers } from '../../schemas/error.ts'
import { CreateGuestTokenBody, GuestToken } from '../../schemas/fabric.ts'
import { callerOf } from '../conventions/authentication.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import { readExpiry } from './expiry.ts'
import type { FabricContext } from './fabric-routes.ts'

/** `POST /guests/tokens`, for a subscriber. */
export function guestTokenRoutes(app: TypedApp, { subscribers, hostOf }: FabricContext): void {
  app.post(
    '/guests/tokens',
    {
      schema: {
        operationId: 'createGuestToken',
        summary: 'Create a guest token',
        description: 'For a subscriber: a token that sees some addresses of the project and nothing else.',
        tags: ['Subscribers and guests'],
        errorCodes: { 422: ['unrecognized_fabric_addresses'] },
        body: CreateGuestTokenBody,
        response: { 201: GuestToken, ...errorAnswers(400, 401, 422, 429, 500) },
      },
    },
    async (request, reply) => {
      const { allowed_addresses: allowed, expire_at } = request.body
      const { projectId } = callerOf(request)
      const subscriberId = request.grant?.subscriber_id ?? ''
      const options = { expiresAt: readExpiry(expire_at), host: hostOf(request) }
      const ids = allowed.map((id) => id.toLowerCase())
      reply.code(201)
      return { token: await subscribers.createGuestToken({ projectId, subscriberId }, ids, options) }
    },
  )
}
