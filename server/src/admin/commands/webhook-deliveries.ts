import { readConfig } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../resources/webhook-delivery.ts'
import type { WebhookDeliveryRecord } from '../../storage/records.ts'
import { readLog } from '../../webhooks/attempt-log.ts'
import { createWebhookDeliveries, type WebhookDeliveries } from '../../webhooks/deliveries.ts'
import { type Arguments, type Command, type CommandContext, UsageError } from '../command.ts'
import { columns, isoTime } from '../help.ts'
import { LIMIT, readLimit } from '../read-limit.ts'
import { readTime } from '../read-time.ts'
import { withStorage } from '../with-storage.ts'

function withDeliveries<T>(
  { env, clock }: CommandContext,
  args: Arguments,
  work: (deliveries: WebhookDeliveries, projectId: string) => Promise<T>,
): Promise<T> {
  return withStorage(readConfig(env), async (storage) => {
    const projectId = args.text('project') ?? ''
    if (!(await storage.projects.find(projectId)))
      throw new OperatorError(`There is no project ${projectId}.`)
    // A running server looks by itself every second.
    return work(createWebhookDeliveries({ storage, clock, wake: () => {} }), projectId)
  })
}

const project = { value: 'id', doc: 'The project of the webhook.', required: true }
const webhookId = { name: 'webhook-id', doc: 'The webhook, as "parley webhooks list" shows it.' }
const json = { doc: 'Print JSON.' }
const since = { value: 'time', doc: 'From this time on: 2026-11-20, 2026-11-20T08:00Z, or 90m, 24h, 7d ago.' }

/** A delivery in the format of the API, with its log. */
const shown = ({ attempt_log, stream_id: _, ...delivery }: WebhookDeliveryRecord) => ({
  ...delivery,
  first_attempt_at: delivery.first_attempt_at === null ? null : isoTime(delivery.first_attempt_at),
  created_at: isoTime(delivery.created_at),
  finished_at: delivery.finished_at === null ? null : isoTime(delivery.finished_at),
  log: readLog(attempt_log).map(
    ({ attemptedAt, durationMs, responseStatus, responseBody, error, nextAt }) => ({
      attempted_at: isoTime(attemptedAt),
      duration_ms: durationMs,
      response_status: responseStatus,
      response_body: responseBody,
      error,
      next_attempt_at: nextAt === null ? null : isoTime(nextAt),
    }),
  ),
})

/** What came of the last attempt, in a few words. Answers come from outside, and are not shown here. */
function lastResult({ attempt_log }: WebhookDeliveryRecord): string {
  const last = readLog(attempt_log).at(-1)
  if (!last) return '-'
  return last.error ?? String(last.responseStatus)
}

const list: Command = {
  name: 'webhooks deliveries',
  summary: 'List what was sent to a webhook, and what waits, newest first.',
  positionals: [webhookId],
  options: {
    project,
    status: { value: 'status', doc: `Only those that are ${DELIVERY_STATUSES.join(', ')}.` },
    limit: LIMIT,
    json: { doc: 'Print JSON, with the log of all attempts.' },
  },
  async run(context, args) {
    const [id = ''] = args.positionals
    const limit = readLimit(args)
    const status = DELIVERY_STATUSES.find((one) => one === args.text('status'))
    if (args.text('status') !== undefined && status === undefined) {
      throw new UsageError(`--status must be one of ${DELIVERY_STATUSES.join(', ')}.`)
    }
    const { rows } = await withDeliveries(context, args, (deliveries, projectId) =>
      deliveries.list(projectId, id, status, { limit }),
    )
    if (args.has('json')) context.say(JSON.stringify(rows.map(shown)))
    else context.say(columns([HEADER, ...rows.map(asRow)]))
    return undefined
  },
}

const HEADER = ['ID', 'CREATED', 'EVENT', 'SESSION', 'NUMBER', 'STATUS', 'ATTEMPTS', 'LAST RESULT']

const asRow = (delivery: WebhookDeliveryRecord): string[] => [
  delivery.id,
  isoTime(delivery.created_at),
  delivery.event_name,
  delivery.room_session_id ?? '-',
  String(delivery.sequence),
  delivery.status satisfies DeliveryStatus,
  String(delivery.attempts),
  lastResult(delivery),
]

/** @returns how many deliveries are sent again */
async function replayAll(
  deliveries: WebhookDeliveries,
  { projectId, webhookId: id, ...wanted }: { projectId: string; webhookId: string } & ReplayWish,
  by: CommandContext['actor'],
): Promise<number> {
  let replayed = 0
  let from: number | null = wanted.since
  while (from !== null) {
    const filter = { status: wanted.status, since: from, until: wanted.until }
    const part = await deliveries.replayAll(projectId, id, filter, by)
    replayed += part.replayed
    // What cannot get further would go round for ever.
    from = part.continueSince === from ? null : part.continueSince
  }
  return replayed
}

interface ReplayWish {
  status: 'failed' | 'delivered'
  /** Unix milliseconds. */
  since: number
  until: number
}

const replay: Command = {
  name: 'webhooks replay',
  summary: 'Send again what failed, or one delivery.',
  details: 'Give either --delivery or --since.',
  positionals: [webhookId],
  options: {
    project,
    delivery: { value: 'id', doc: 'One delivery, whatever its status.' },
    since,
    until: { value: 'time', doc: 'Up to this time.' },
    delivered: { doc: 'What was delivered, instead of what failed.' },
    json,
  },
  async run(context, args) {
    const [id = ''] = args.positionals
    const one = args.text('delivery')
    const now = context.clock.now()
    const from = readTime(args, 'since', now)
    if ((one === undefined) === (from === undefined))
      throw new UsageError('Give either --delivery or --since.')
    const replayed = await withDeliveries(context, args, async (deliveries, projectId) => {
      if (one !== undefined) {
        await deliveries.replay(projectId, id, one, context.actor)
        return 1
      }
      const status = args.has('delivered') ? 'delivered' : 'failed'
      const wanted = { status, since: from ?? now, until: readTime(args, 'until', now) ?? now } as const
      return replayAll(deliveries, { projectId, webhookId: id, ...wanted }, context.actor)
    })
    if (args.has('json')) context.say(JSON.stringify({ webhook_id: id, replayed }))
    else context.note(`${replayed} are sent again.`)
    return undefined
  },
}

export const webhookDeliveryCommands: readonly Command[] = [list, replay]
