import { readConfig } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Arguments, Command, CommandContext } from '../command.ts'
import { columns, isoTime } from '../help.ts'
import { LIMIT, readLimit } from '../read-limit.ts'
import { withStorage } from '../with-storage.ts'

function withProject<T>(
  { env }: CommandContext,
  args: Arguments,
  work: (storage: Storage, projectId: string) => Promise<T>,
): Promise<T> {
  return withStorage(readConfig(env), async (storage) => {
    const projectId = args.text('project') ?? ''
    if (!(await storage.projects.find(projectId)))
      throw new OperatorError(`There is no project ${projectId}.`)
    return work(storage, projectId)
  })
}

const project = { value: 'id', doc: 'Their project.', required: true }
const json = { doc: 'Print JSON.' }

const list: Command = {
  name: 'subscribers list',
  summary: 'List the end users of a project, newest first, and how often each is signed in.',
  options: {
    project,
    reference: { value: 'text', doc: 'Only the one that the project calls so.' },
    limit: LIMIT,
    json,
  },
  async run(context, args) {
    const { clock, say, note } = context
    const limit = readLimit(args)
    const { found, hasMore } = await withProject(context, args, async (storage, projectId) => {
      const reference = args.text('reference')
      const one = reference && (await storage.subscribers.findByReference(projectId, reference))
      const page = reference
        ? { rows: one ? [one] : [], hasNext: false }
        : await storage.subscribers.list(projectId, { limit })
      const ids = page.rows.map(({ id }) => id)
      const counts = await storage.signIns.count(projectId, ids, clock.now())
      const found = page.rows.map(({ project_id: _, ...row }) => ({
        ...row,
        created_at: isoTime(row.created_at),
        sign_ins: counts.get(row.id) ?? 0,
      }))
      return { found, hasMore: page.hasNext }
    })
    if (args.has('json')) say(JSON.stringify(found))
    else {
      const rows = found.map(({ id, created_at, sign_ins, reference }) => [
        id,
        created_at,
        String(sign_ins),
        JSON.stringify(reference),
      ])
      say(columns([['ID', 'CREATED', 'SIGN-INS', 'REFERENCE'], ...rows]))
    }
    if (hasMore) note('There are more. Look for one with --reference, or raise --limit.')
    return undefined
  },
}

const revoke: Command = {
  name: 'subscribers revoke',
  summary: 'Make all tokens of an end user void at once, and those of its guests.',
  details: 'The server of the project can sign the user in again.',
  positionals: [{ name: 'subscriber-id', doc: 'The user, as "parley subscribers list" shows it.' }],
  options: { project, json },
  async run(context, args) {
    const [id = ''] = args.positionals
    const { actor, clock } = context
    // Imported here, because its many modules would slow down all other commands.
    const { revokeSubscriber } = await import('../../fabric/subscribers.ts')
    await withProject(context, args, (storage, projectId) =>
      revokeSubscriber(storage, projectId, { id }, actor, clock.now()),
    )
    if (args.has('json')) context.say(JSON.stringify({ id, revoked: true }))
    else context.note(`Revoked the tokens of ${id}.`)
    return undefined
  },
}

export const subscriberCommands: readonly Command[] = [list, revoke]
