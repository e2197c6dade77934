import { type Static, Type } from 'typebox'
import { answerFields } from './answers.ts'
import { bodyFields } from './bodies.ts'
import { Answer, Optional } from './building-blocks.ts'
import { EVENT_PATTERNS } from './event-names.ts'
import { anyText, boolean, listOf, moment, oneOf, text, uuid } from './fields.ts'
import type { RecordOf } from './records.ts'

const URL_MAX = 2048

/** A week. */
const MOST_OVERLAP_SECONDS = 604_800
/** A day: time to give the new secret to every receiver. */
export const DEFAULT_OVERLAP_SECONDS = 86_400

/** The fields of a webhook: an address of the project to which its events are sent. */
export const webhookFields = {
  id: uuid({ description: 'Id of the webhook.', shown: ['webhook'] }),
  project_id: uuid({ description: 'The project that it belongs to.' }),
  url: text(
    { minLength: 1, maxLength: URL_MAX },
    {
      description:
        'HTTPS address to which the events are sent. It may not lead into a private network, nor hold a user name or password.',
      examples: ['https://hooks.example.com/parley'],
      set: ['webhook'],
      shown: ['webhook'],
    },
  ),
  description: text(
    { maxLength: 200 },
    {
      default: '',
      description: 'What it is for, in your words.',
      examples: ['Billing'],
      set: ['webhook'],
      shown: ['webhook'],
    },
  ),
  events: listOf(
    { values: EVENT_PATTERNS, description: 'Name of an event, or of a group of events.' },
    {
      default: null,
      description: 'Events that are sent: by name, or by group such as `member.*`. Null sends all.',
      examples: [['room.*', 'recording.completed']],
      set: ['webhook'],
      shown: ['webhook'],
    },
  ),
  enabled: boolean({
    default: true,
    description:
      'Whether events are sent. What happens while it is false is never sent; what waited before stays, and is sent once it is true again.',
    examples: [true],
    set: ['webhook'],
    shown: ['webhook'],
  }),
  disabled_reason: oneOf(['asked', 'gone', 'failing'], {
    default: null,
    description:
      'Why it is not enabled: somebody `asked` for it, the receiver answered 410 (`gone`), or every attempt failed for days (`failing`). Null while it is enabled.',
    examples: ['gone'],
    shown: ['webhook'],
  }),
  failing_since: moment({
    default: null,
    description: 'Since when every attempt has failed; null while attempts succeed.',
    shown: ['webhook'],
  }),
  sealed_secret: anyText({ description: 'The secret that signs, encrypted.' }),
  sealed_previous_secret: anyText({
    default: null,
    description: 'The secret before the last rotation, encrypted.',
  }),
  previous_secret_expires_at: moment({
    default: null,
    description:
      'Until when messages are also signed with the secret before the last rotation; null without one.',
    shown: ['webhook'],
  }),
  created_at: moment({ description: 'When it was created.', shown: ['webhook'] }),
  updated_at: moment({ description: 'When it was changed last.', shown: ['webhook'] }),
}

/** A webhook as it is stored. */
export type WebhookRecord = RecordOf<typeof webhookFields>

const shown = answerFields(webhookFields, 'webhook')

export const Webhook = Answer(shown, {
  title: 'Webhook',
  description: 'An address of the project to which its events are sent.',
})
export type Webhook = Static<typeof Webhook>

export const FreshWebhook = Answer(
  {
    ...shown,
    secret: Type.String({
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      description: 'The secret that signs its messages. It is shown only now.',
    }),
  },
  { title: 'FreshWebhook', description: 'A webhook with its new secret.' },
)

const { url, ...settings } = bodyFields(webhookFields, 'webhook')

export const CreateWebhookBody = Type.Object(
  { url, ...settings },
  {
    title: 'CreateWebhook',
    description: 'A new webhook.',
    examples: [{ url: 'https://hooks.example.com/parley', events: ['recording.completed'] }],
  },
)

export const UpdateWebhookBody = Type.Object(
  { url: Type.Optional(url), ...settings },
  {
    title: 'UpdateWebhook',
    description:
      'Changes to a webhook. A field that is absent keeps its value; null resets it to its default.',
    examples: [{ events: null, enabled: true }],
  },
)

export const RotateWebhookSecretBody = Type.Object(
  {
    overlap_seconds: Optional(
      Type.Integer({
        minimum: 0,
        maximum: MOST_OVERLAP_SECONDS,
        default: DEFAULT_OVERLAP_SECONDS,
        examples: [DEFAULT_OVERLAP_SECONDS],
        description: 'For how long messages are signed with the old secret too.',
      }),
    ),
  },
  { title: 'RotateWebhookSecret', description: 'How the old secret ends.' },
)
