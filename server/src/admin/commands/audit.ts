import { readConfig } from '../../config.ts'
import type { AuditRecord } from '../../storage/records.ts'
import type { Command } from '../command.ts'
import { columns, isoTime } from '../help.ts'
import { LIMIT, readLimit } from '../read-limit.ts'
import { readTime } from '../read-time.ts'
import { withStorage } from '../with-storage.ts'

const show: Command = {
  name: 'audit',
  summary: 'Show what administration did: who, what and when. Newest first.',
  details:
    'Every command that changes something is in it, and what administration did over REST. An entry is written in the\n' +
    'transaction of the act itself. It holds no secrets, and outlives the project that it is about.',
  options: {
    project: { value: 'id', doc: 'Only what concerns this project, which may be deleted by now.' },
    since: {
      value: 'time',
      doc: 'Only from this time on: 2026-11-20, 2026-11-20T08:00Z, or 90m, 24h, 7d ago.',
    },
    until: { value: 'time', doc: 'Only up to this time.' },
    limit: LIMIT,
    json: { doc: 'Print JSON.' },
  },
  async run({ env, clock, say, note }, args) {
    const now = clock.now()
    const limit = readLimit(args)
    const filter = {
      projectId: args.text('project'),
      since: readTime(args, 'since', now),
      until: readTime(args, 'until', now),
    }
    // One entry more than the limit shows whether there are more.
    const found = await withStorage(readConfig(env), ({ audit }) => audit.list(filter, limit + 1))
    const entries = found.slice(0, limit)
    if (args.has('json')) say(JSON.stringify(entries.map(asJson)))
    else say(columns([['WHEN', 'WHO', 'WHAT', 'PROJECT', 'TARGET', 'DETAILS'], ...entries.map(asRow)]))
    const last = entries.at(-1)
    if (last && found.length > limit) {
      note(`There are older entries. To go on: --until ${isoTime(last.created_at)}`)
    }
    return undefined
  },
}

const asJson = (entry: AuditRecord) => ({
  id: entry.id,
  created_at: isoTime(entry.created_at),
  actor: { kind: entry.actor_kind, name: entry.actor },
  action: entry.action,
  project_id: entry.about_project,
  target: entry.target,
  details: entry.details,
})

/** Escapes control characters. Names and folders come from outside, and must not control the terminal. */
const visible = (text: string) =>
  text.replaceAll(/\p{Cc}/gu, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)

function asRow(entry: AuditRecord): string[] {
  const facts = Object.entries(entry.details).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  const who = entry.actor_kind === 'api-token' ? `token ${entry.actor}` : entry.actor
  return [
    isoTime(entry.created_at),
    who,
    entry.action,
    entry.about_project ?? '-',
    entry.target ?? '-',
    facts.join(' '),
  ].map(visible)
}

export const auditCommands: readonly Command[] = [show]
