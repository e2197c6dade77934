import { errorAnswers } from '../../resources/error.ts'
import { CreateGuestTokenBody, GuestToken } from '../../resources/fabric.ts'
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
        description:
          'For a subscriber: a token that sees some of the addresses that the subscriber sees, and nothing else. It lives an hour unless `expire_at` says otherwise, and ends with the token of the subscriber at the latest.',
        tags: ['Subscribers and guests'],
        errorCodes: { 422: ['unrecognized_fabric_addresses'] },
        body: CreateGuestTokenBody,
        response: { 201: GuestToken, ...errorAnswers(400, 401, 422, 429, 500) },
      },
    },
    async (request, reply) => {
      const { allowed_addresses: allowed, expire_at } = request.body
      const options = { expiresAt: readExpiry(expire_at), host: hostOf(request) }
      const { grant } = request
      if (!grant) throw new Error('the route takes tokens of subscribers alone')
      const ids = allowed.map((id) => id.toLowerCase())
      reply.code(201)
      return { token: await subscribers.createGuestToken(grant, ids, options) }
    },
  )
}
