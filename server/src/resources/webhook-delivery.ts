import { type Static, Type } from 'typebox'
import { answerFields } from './answers.ts'
import { Answer, Moment, Nullable, OneOf, Timestamp, Uuid } from './building-blocks.ts'
import { anyText, integer, moment, oneOf, uuid } from './fields.ts'
import { pagingFields } from './paging.ts'
import type { RecordOf } from './records.ts'

/** How far a delivery has come. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** The fields of a delivery: one event on its way to one webhook. */
export const webhookDeliveryFields = {
  id: uuid({
    description: 'Id of the delivery: that of the event, and the `webhook-id` of the message.',
    shown: ['webhook_delivery'],
  }),
  project_id: uuid({ description: 'The project that it belongs to.' }),
  webhook_id: uuid({ description: 'The webhook that it goes to.', shown: ['webhook_delivery'] }),
  event_name: anyText({
    description: 'Name of the event.',
    examples: ['room.started'],
    shown: ['webhook_delivery'],
  }),
  room_session_id: uuid({
    default: null,
    description: 'The session that the event is about.',
    shown: ['webhook_delivery'],
  }),
  stream_id: anyText({ description: 'The deliveries with the same value are sent one after the other.' }),
  sequence: integer(
    {},
    {
      description:
        'Number of the event among those of its session that this webhook gets, from 1. It is in the message.',
      examples: [3],
      shown: ['webhook_delivery'],
    },
  ),
  status: oneOf(DELIVERY_STATUSES, {
    description: '`pending` until the receiver has taken it, or the last attempt has failed.',
    examples: ['delivered'],
    shown: ['webhook_delivery'],
  }),
  attempts: integer(
    {},
    {
      description: 'How often it was tried, since it was stored or last sent again.',
      examples: [1],
      shown: ['webhook_delivery'],
    },
  ),
  attempt_log: anyText({ description: 'What came of the attempts: one JSON object a line.' }),
  first_attempt_at: moment({
    default: null,
    description: 'When it was tried first, since it was stored or last sent again.',
  }),
  created_at: moment({
    description: 'When it was stored: together with its event.',
    shown: ['webhook_delivery'],
  }),
  finished_at: moment({
    default: null,
    description: 'When it was delivered or had failed; null while it is pending.',
    shown: ['webhook_delivery'],
  }),
}

/** A delivery as it is stored. */
export type WebhookDeliveryRecord = RecordOf<typeof webhookDeliveryFields>

const shown = answerFields(webhookDeliveryFields, 'webhook_delivery')

export const WebhookDelivery = Answer(shown, {
  title: 'WebhookDelivery',
  description: 'One event on its way to one webhook.',
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

const WebhookAttempt = Answer(
  {
    attempted_at: Timestamp({ description: 'When it began.' }),
    duration_ms: Type.Integer({ examples: [120], description: 'How long it took, in milliseconds.' }),
    response_status: Nullable(
      Type.Integer({ examples: [500], description: 'HTTP status of the answer; null if there was none.' }),
    ),
    response_body: Nullable(
      Type.String({
        examples: ['database is down'],
        description: 'Beginning of the answer, unless the receiver took the message.',
      }),
    ),
    error: Nullable(
      Type.String({
        examples: ['the connection was refused'],
        description: 'Why there was no answer, or why it does not count.',
      }),
    ),
    next_attempt_at: Nullable(Timestamp({ description: 'When it is tried again; null if it is not.' })),
  },
  { title: 'WebhookAttempt', description: 'One attempt to deliver.' },
)
export type WebhookAttempt = Static<typeof WebhookAttempt>

export const WebhookDeliveryWithLog = Answer(
  { ...shown, log: Type.Array(WebhookAttempt, { description: 'The attempts, oldest first.' }) },
  { title: 'WebhookDeliveryWithLog', description: 'A delivery with all of its attempts.' },
)
export type WebhookDeliveryWithLog = Static<typeof WebhookDeliveryWithLog>

const status = OneOf(DELIVERY_STATUSES, { description: 'Only deliveries that have come so far.' })

export const ListWebhookDeliveriesQuery = Type.Object({ status: Type.Optional(status), ...pagingFields })

export const WebhookDeliveryParams = Type.Object({
  id: Uuid({ description: 'Id of the webhook.' }),
  delivery_id: Uuid({ description: 'Id of the delivery.' }),
})

export const ReplayWebhookBody = Type.Object(
  {
    since: Moment({ description: 'Only what was stored then or later.', examples: ['2030-01-31T09:30:00Z'] }),
    until: Type.Optional(
      Nullable(Moment({ description: 'Only what was stored before; by default everything.' })),
    ),
    status: Type.Optional(
      Nullable(
        OneOf(['failed', 'delivered'], {
          default: 'failed',
          examples: ['failed'],
          description: 'What is sent again: what failed, or what was delivered.',
        }),
      ),
    ),
  },
  { title: 'ReplayWebhook', description: 'Which deliveries are sent again.' },
)

export const WebhookReplay = Answer(
  {
    replayed: Type.Integer({ examples: [12], description: 'How many deliveries are sent again.' }),
    continue_since: Nullable(
      Timestamp({
        description:
          'One request sends a thousand again at most. Where there are more: the `since` of the next request; else null.',
      }),
    ),
  },
  { title: 'WebhookReplay', description: 'What is sent again.' },
)
