import { Refusal } from '../../errors/refusal.ts'
import { nothingLeft } from '../../resources/bodies.ts'
import {
  CreateSubscriberTokensBody,
  RefreshedTokens,
  RefreshTokensBody,
  RevokeSubscriberBody,
  SubscriberTokens,
} from '../../resources/fabric.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { readExpiry } from './expiry.ts'

const tag = 'Subscribers and guests'

/** `/subscribers/tokens`: two operations, for the server of a project. */
export const subscriberTokenOperations: Operation[] = [
  operation(
    {
      route: 'POST /subscribers/tokens',
      operationId: 'createSubscriberToken',
      summary: 'Create tokens of a subscriber',
      description:
        'For the server of a project: an access token and a refresh token for one of its users. The subscriber is made at the first use of a `reference`. The access token lives two hours unless `expire_at` says otherwise.',
      tag,
      body: CreateSubscriberTokensBody,
      answer: SubscriberTokens,
    },
    async ({ projectId, body, host }, { subscribers }) => {
      const { reference, expire_at, ...rest } = body
      nothingLeft(rest)
      return subscribers.createTokens(projectId, reference, { expiresAt: readExpiry(expire_at), host })
    },
  ),

  operation(
    {
      route: 'POST /subscribers/tokens/revoke',
      operationId: 'revokeSubscriberTokens',
      summary: 'Revoke the tokens of a subscriber',
      description:
        'An addition of Parley. Makes all tokens of a subscriber void at once, and those of its guests. Name the subscriber by `subscriber_id` or by `reference`. It can be given new tokens.',
      tag,
      body: RevokeSubscriberBody,
      errorCodes: {
        404: ['does_not_exist'],
        422: ['missing_required_parameter', 'incompatible_parameters'],
      },
      incompleteStatus: 422,
    },
    async ({ caller, body }, { subscribers }) => {
      await subscribers.revoke(caller.projectId, subscriberIn(body), actorOf(caller))
    },
  ),
]

/** `POST /subscribers/tokens/refresh`, for the subscriber or for the server of a project. */
export const refreshOperations: Operation[] = [
  operation(
    {
      route: 'POST /subscribers/tokens/refresh',
      operationId: 'refreshSubscriberToken',
      summary: 'Refresh the tokens of a subscriber',
      description:
        'Gives a new pair of tokens for a refresh token that has not expired. Each refresh token works once. When it is used again, all tokens that came from the same sign-in are void: somebody has stolen it. Send an `Idempotency-Key`, so that a request whose answer was lost can be sent again.',
      tag,
      errorCodes: { 422: ['not_a_refresh_token', 'token_expired'] },
      body: RefreshTokensBody,
      answer: RefreshedTokens,
      status: 201,
    },
    async ({ projectId, grant, body, host }, { subscribers }) => {
      const { refresh_token, ...rest } = body
      nothingLeft(rest)
      return subscribers.refresh(refresh_token, { host, projectId, by: grant?.subscriber_id ?? null })
    },
  ),
]

function subscriberIn({
  subscriber_id,
  reference,
  ...rest
}: RevokeSubscriberBody): { id: string } | { reference: string } {
  nothingLeft(rest)
  if (subscriber_id != null && reference != null) {
    const message = 'Give either `subscriber_id` or `reference`.'
    throw new Refusal('incompatible_parameters', { attribute: 'reference', message })
  }
  if (subscriber_id != null) return { id: subscriber_id }
  if (reference != null) return { reference }
  const message = 'Name the subscriber by `subscriber_id` or by `reference`.'
  throw new Refusal('missing_required_parameter', {
    attribute: 'subscriber_id',
    message,
  })
}
