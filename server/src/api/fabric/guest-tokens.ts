import { nothingLeft } from '../../resources/bodies.ts'
import { CreateGuestTokenBody, GuestToken } from '../../resources/fabric.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { readExpiry } from './expiry.ts'

/** `POST /guests/tokens`, for a subscriber. */
export const guestTokenOperations: Operation[] = [
  operation(
    {
      route: 'POST /guests/tokens',
      operationId: 'createGuestToken',
      summary: 'Create a guest token',
      description:
        'For a subscriber: a token that sees some of the addresses that the subscriber sees, and nothing else. It lives an hour unless `expire_at` says otherwise, and ends with the token of the subscriber at the latest.',
      tag: 'Subscribers and guests',
      errorCodes: { 422: ['unrecognized_fabric_addresses'] },
      body: CreateGuestTokenBody,
      answer: GuestToken,
      status: 201,
    },
    async ({ grant, body, host }, { subscribers }) => {
      if (!grant) throw new Error('the operation takes tokens of subscribers alone')
      const { allowed_addresses, expire_at, ...rest } = body
      nothingLeft(rest)
      const options = { expiresAt: readExpiry(expire_at), host }
      return { token: await subscribers.createGuestToken(grant, allowed_addresses, options) }
    },
  ),
]
