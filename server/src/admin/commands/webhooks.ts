import { readConfig } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { createTargets } from '../../outgoing/targets.ts'
import { presentServerSecrets } from '../../secrets/server-secrets.ts'
import type { WebhookRecord } from '../../storage/records.ts'
import {
  createWebhooks,
  type FreshWebhook,
  type WebhookSettings,
  type Webhooks,
  webhookProtocols,
} from '../../webhooks/webhooks.ts'
import { type Arguments, type Command, type CommandContext, UsageError } from '../command.ts'
import { columns, isoTime } from '../help.ts'
import { withStorage } from '../with-storage.ts'
import { webhookDeliveryCommands } from './webhook-deliveries.ts'

/** Webhooks in one answer. A project has few. */
const MOST_LISTED = 10_000

function withWebhooks<T>(
  { env, clock }: CommandContext,
  args: Arguments,
  work: (webhooks: Webhooks, projectId: string) => Promise<T>,
): Promise<T> {
  const config = readConfig(env)
  return withStorage(config, async (storage) => {
    const projectId = args.text('project') ?? ''
    if (!(await storage.projects.find(projectId)))
      throw new OperatorError(`There is no project ${projectId}.`)
    const sealingKey = presentServerSecrets(config)?.sealingKey
    if (!sealingKey) {
      throw new OperatorError(
        `There is no secrets/root.key in ${config.dataDir}. Name the server's data folder by PARLEY_DATA_DIR or --data-dir.`,
      )
    }
    const { maxWebhooksPerProject } = config
    const webhooks = createWebhooks({
      storage,
      clock,
      sealingKey,
      maxWebhooksPerProject,
      targets: createTargets(config),
      protocols: webhookProtocols(config.allowPrivateTargets),
      // A running server looks by itself every second.
      wake: () => {},
    })
    return work(webhooks, projectId)
  })
}

const project = { value: 'id', doc: 'The project whose events are sent.', required: true }
const webhookId = { name: 'webhook-id', doc: 'The webhook, as "parley webhooks list" shows it.' }
const json = { doc: 'Print JSON.' }
const settings = {
  events: { value: 'list', doc: 'Events, separated by commas: room.started, member.*; or "all".' },
  description: { value: 'text', doc: 'What it is for, in your words.' },
}

function settingsIn(args: Arguments): WebhookSettings {
  const [url, events, description] = ['url', 'events', 'description'].map((name) => args.text(name))
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && {
      events: events === 'all' ? null : events.split(',').map((one) => one.trim()),
    }),
    ...(description !== undefined && { description }),
  }
}

const timeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms))

/** A webhook in the format of the API. */
const shown = ({ sealed_secret: _, sealed_previous_secret: __, ...webhook }: WebhookRecord) => ({
  ...webhook,
  failing_since: timeOrNull(webhook.failing_since),
  previous_secret_expires_at: timeOrNull(webhook.previous_secret_expires_at),
  created_at: isoTime(webhook.created_at),
  updated_at: isoTime(webhook.updated_at),
})

/** Prints only the secret to the output, so that a script can read it. Explanations for people are notes. */
function tell({ say, note }: CommandContext, args: Arguments, { webhook, secret }: FreshWebhook): undefined {
  if (args.has('json')) {
    say(JSON.stringify({ ...shown(webhook), secret }))
    return
  }
  note(`Secret of webhook ${webhook.id}, shown only now:`)
  say(secret)
}

const create: Command = {
  name: 'webhooks create',
  summary: 'Send the events of a project to an address.',
  details: 'Receivers check the messages by the secret that this prints: see docs/webhooks.md.',
  options: {
    project,
    url: { value: 'URL', doc: 'HTTPS address of the receiver.', required: true },
    ...settings,
    json,
  },
  async run(context, args) {
    const wanted = { ...settingsIn(args), url: args.text('url') ?? '' }
    const fresh = await withWebhooks(context, args, (webhooks, projectId) =>
      webhooks.create(projectId, wanted, context.actor),
    )
    return tell(context, args, fresh)
  },
}

const list: Command = {
  name: 'webhooks list',
  summary: 'List the webhooks of a project, newest first, without their secrets.',
  options: { project, json },
  async run(context, args) {
    const { rows } = await withWebhooks(context, args, (webhooks, projectId) =>
      webhooks.list(projectId, { limit: MOST_LISTED }),
    )
    if (args.has('json')) {
      context.say(JSON.stringify(rows.map(shown)))
      return undefined
    }
    const table = rows.map((webhook) => [
      webhook.id,
      stateOf(webhook),
      webhook.events?.join(',') ?? 'all',
      webhook.url,
      JSON.stringify(webhook.description),
    ])
    context.say(columns([['ID', 'STATE', 'EVENTS', 'URL', 'DESCRIPTION'], ...table]))
    return undefined
  },
}

function stateOf({ enabled, disabled_reason, failing_since }: WebhookRecord): string {
  if (!enabled) return `disabled (${disabled_reason})`
  return failing_since === null ? 'enabled' : `failing since ${isoTime(failing_since)}`
}

const update: Command = {
  name: 'webhooks update',
  summary: 'Change a webhook, or switch it off and on.',
  positionals: [webhookId],
  options: {
    project,
    url: { value: 'URL', doc: 'Another address of the receiver.' },
    ...settings,
    enable: { doc: 'Send events again; what waited is sent too.' },
    disable: { doc: 'Send nothing until it is enabled; what happens meanwhile is never sent.' },
    json,
  },
  async run(context, args) {
    const [id = ''] = args.positionals
    if (args.has('enable') && args.has('disable')) throw new UsageError('Give either --enable or --disable.')
    const isSwitched = args.has('enable') || args.has('disable')
    const wanted = { ...settingsIn(args), ...(isSwitched && { enabled: args.has('enable') }) }
    const webhook = await withWebhooks(context, args, (webhooks, projectId) =>
      webhooks.update(projectId, id, wanted, context.actor),
    )
    context.say(args.has('json') ? JSON.stringify(shown(webhook)) : `${webhook.id} is ${stateOf(webhook)}.`)
    return undefined
  },
}

const rotate: Command = {
  name: 'webhooks rotate',
  summary: 'Give a webhook a new secret.',
  positionals: [webhookId],
  options: {
    project,
    overlap: { value: 'hours', doc: 'How long the old secret signs too: 24 hours unless given, up to 168.' },
    json,
  },
  async run(context, args) {
    const [id = ''] = args.positionals
    const text = args.text('overlap') ?? '24'
    const hours = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
    if (!(hours <= 168)) throw new UsageError('--overlap must be a number of hours from 0 to 168.')
    const fresh = await withWebhooks(context, args, (webhooks, projectId) =>
      webhooks.rotate(projectId, id, hours * 3_600_000, context.actor),
    )
    return tell(context, args, fresh)
  },
}

const remove: Command = {
  name: 'webhooks delete',
  summary: 'Delete a webhook. What waits for it is not sent.',
  positionals: [webhookId],
  options: { project, json },
  async run(context, args) {
    const [id = ''] = args.positionals
    await withWebhooks(context, args, (webhooks, projectId) => webhooks.delete(projectId, id, context.actor))
    if (args.has('json')) context.say(JSON.stringify({ id, deleted: true }))
    else context.note(`Deleted ${id}.`)
    return undefined
  },
}

export const webhookCommands: readonly Command[] = [
  create,
  list,
  update,
  rotate,
  remove,
  ...webhookDeliveryCommands,
]
