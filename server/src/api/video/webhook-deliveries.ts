import { shower } from '../../resources/answers.ts'
import { nothingLeft } from '../../resources/bodies.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import { formatMoment, formatMomentOrNull, parseMoment } from '../../resources/dates.ts'
import { Page } from '../../resources/paging.ts'
import {
  ListWebhookDeliveriesQuery,
  ReplayWebhookBody,
  type WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryParams,
  WebhookDeliveryWithLog,
  WebhookReplay,
  webhookDeliveryFields,
} from '../../resources/webhook-delivery.ts'
import { type LoggedAttempt, readLog } from '../../webhooks/attempt-log.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Webhooks'

/** What was sent to webhooks, and what waits: four operations. */
export const webhookDeliveryOperations: Operation[] = [
  operation(
    {
      route: 'GET /webhooks/:id/deliveries',
      operationId: 'listWebhookDeliveries',
      summary: 'List deliveries of a webhook',
      description:
        'What was sent, and what waits, newest first. Deliveries are kept for the days that the operator chose. An addition of Parley.',
      tag,
      params: IdParams,
      query: ListWebhookDeliveriesQuery,
      answer: Page(WebhookDelivery),
    },
    async (request, { webhookDeliveries }) => {
      const { projectId, params, query, listRequest } = request
      const page = await webhookDeliveries.list(projectId, params.id, query.status, listRequest)
      return request.answerPage(page, show, (delivery) => delivery.created_at)
    },
  ),

  operation(
    {
      route: 'GET /webhooks/:id/deliveries/:delivery_id',
      operationId: 'getWebhookDelivery',
      summary: 'Get a delivery of a webhook',
      description: 'One delivery, with what came of each attempt. An addition of Parley.',
      tag,
      params: WebhookDeliveryParams,
      answer: WebhookDeliveryWithLog,
    },
    async ({ projectId, params }, { webhookDeliveries }) => {
      const delivery = await webhookDeliveries.get(projectId, params.id, params.delivery_id)
      return { ...show(delivery), log: readLog(delivery.attempt_log).map(showAttempt) }
    },
  ),

  operation(
    {
      route: 'POST /webhooks/:id/deliveries/:delivery_id/replay',
      operationId: 'replayWebhookDelivery',
      summary: 'Send a delivery again',
      description:
        'The message has the same `webhook-id` as before. It does not wait for others of its session. One that waits for its next attempt is sent now, when it is its turn. An addition of Parley.',
      tag,
      params: WebhookDeliveryParams,
      answer: WebhookDelivery,
    },
    async ({ caller, params }, { webhookDeliveries }) =>
      show(await webhookDeliveries.replay(caller.projectId, params.id, params.delivery_id, actorOf(caller))),
  ),

  operation(
    {
      route: 'POST /webhooks/:id/replay',
      operationId: 'replayWebhook',
      summary: 'Send deliveries of a webhook again',
      description:
        'Sends again what failed, or what was delivered, in a span of time; those of a session one after the other. An addition of Parley.',
      tag,
      params: IdParams,
      body: ReplayWebhookBody,
      answer: WebhookReplay,
    },
    async ({ caller, params, body }, { webhookDeliveries }) => {
      const { since, until, status, ...rest } = body
      nothingLeft(rest)
      const filter = {
        status: status ?? 'failed',
        since: parseMoment(since) ?? 0,
        until: parseMoment(until ?? '') ?? Number.MAX_SAFE_INTEGER,
      }
      const result = await webhookDeliveries.replayAll(caller.projectId, params.id, filter, actorOf(caller))
      return { replayed: result.replayed, continue_since: formatMomentOrNull(result.continueSince) }
    },
  ),
]

const show = shower(webhookDeliveryFields, 'webhook_delivery')

const showAttempt = (attempt: LoggedAttempt): WebhookAttempt => ({
  attempted_at: formatMoment(attempt.attemptedAt),
  duration_ms: attempt.durationMs,
  response_status: attempt.responseStatus,
  response_body: attempt.responseBody,
  error: attempt.error,
  next_attempt_at: formatMomentOrNull(attempt.nextAt),
})
