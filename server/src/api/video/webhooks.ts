import { shower } from '../../resources/answers.ts'
import { bodyReader, nothingLeft } from '../../resources/bodies.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import {
  CreateWebhookBody,
  DEFAULT_OVERLAP_SECONDS,
  FreshWebhook,
  RotateWebhookSecretBody,
  UpdateWebhookBody,
  Webhook,
  webhookFields,
} from '../../resources/webhook.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Webhooks'
/** A webhook takes what happens in the project elsewhere. */
const right = 'administer'

/** `/webhooks`: six operations. */
export const webhookOperations: Operation[] = [
  operation(
    {
      route: 'GET /webhooks',
      operationId: 'listWebhooks',
      summary: 'List webhooks',
      description: 'Newest first, without their secrets. An addition of Parley.',
      tag,
      query: PagingQuery,
      answer: Page(Webhook),
    },
    async (request, { webhooks }) => {
      const page = await webhooks.list(request.projectId, request.listRequest)
      return request.answerPage(page, show, (webhook) => webhook.created_at)
    },
  ),

  operation(
    {
      route: 'POST /webhooks',
      operationId: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'Events that happen from now on are sent to its address. Answers with its secret, which is shown only now. An addition of Parley.',
      tag,
      right,
      body: CreateWebhookBody,
      answer: FreshWebhook,
      status: 201,
      hasSecrets: true,
      errorCodes: { 422: ['url_failed_to_parse', 'url_is_unsafe', 'account_limit_exceeded'] },
    },
    async ({ caller, body }, { webhooks }) => {
      const settings = { ...readSettings(body), url: body.url }
      const { webhook, secret } = await webhooks.create(caller.projectId, settings, actorOf(caller))
      return { ...show(webhook), secret }
    },
  ),

  operation(
    {
      route: 'GET /webhooks/:id',
      operationId: 'getWebhook',
      summary: 'Get a webhook',
      description: 'One webhook, without its secret. An addition of Parley.',
      tag,
      params: IdParams,
      answer: Webhook,
    },
    async ({ projectId, params }, { webhooks }) => show(await webhooks.get(projectId, params.id)),
  ),

  operation(
    {
      route: 'PUT /webhooks/:id',
      operationId: 'updateWebhook',
      summary: 'Update a webhook',
      description:
        'Fields that are absent keep their values; null resets to the default. `enabled` switches one on again that was disabled. An addition of Parley.',
      tag,
      right,
      params: IdParams,
      body: UpdateWebhookBody,
      answer: Webhook,
      errorCodes: { 422: ['url_failed_to_parse', 'url_is_unsafe'] },
    },
    async ({ caller, params, body }, { webhooks }) =>
      show(await webhooks.update(caller.projectId, params.id, readSettings(body), actorOf(caller))),
  ),

  operation(
    {
      route: 'POST /webhooks/:id/rotate',
      operationId: 'rotateWebhookSecret',
      summary: 'Give a webhook a new secret',
      description:
        'For a while messages are signed with the old secret too. Answers with the new one, which is shown only now. An addition of Parley.',
      tag,
      right,
      params: IdParams,
      body: RotateWebhookSecretBody,
      answer: FreshWebhook,
      hasSecrets: true,
    },
    async ({ caller, params, body: { overlap_seconds, ...rest } }, { webhooks }) => {
      nothingLeft(rest)
      const overlapMs = (overlap_seconds ?? DEFAULT_OVERLAP_SECONDS) * 1000
      const rotated = await webhooks.rotate(caller.projectId, params.id, overlapMs, actorOf(caller))
      return { ...show(rotated.webhook), secret: rotated.secret }
    },
  ),

  operation(
    {
      route: 'DELETE /webhooks/:id',
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook',
      description: 'What waits for it is not sent any more. An addition of Parley.',
      tag,
      right,
      params: IdParams,
    },
    ({ caller, params }, { webhooks }) => webhooks.delete(caller.projectId, params.id, actorOf(caller)),
  ),
]

const readSettings = bodyReader(webhookFields, 'webhook')
const show = shower(webhookFields, 'webhook')
