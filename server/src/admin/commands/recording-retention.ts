import { readConfig } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { MOST_RETENTION_DAYS } from '../../resources/recording-retention.ts'
import { createRetention } from '../../rooms/retention/retention.ts'
import type { Arguments, Command } from '../command.ts'
import { withStorage } from '../with-storage.ts'

/** @returns null for ever; undefined if nothing is to change */
function daysIn(args: Arguments): number | null | undefined {
  const text = args.text('days')
  if (text === undefined) return undefined
  if (text === 'forever') return null
  const days = Number(text)
  if (/^\d+$/.test(text) && days >= 1 && days <= MOST_RETENTION_DAYS) return days
  throw new OperatorError(`--days takes a number from 1 to ${MOST_RETENTION_DAYS}, or forever.`)
}

/** Shows and changes how long a project keeps its recordings. */
export const recordingRetentionCommand: Command = {
  name: 'projects recording-retention',
  summary: 'Choose how long a project keeps its recordings.',
  details:
    'At first for ever. Without --days it shows the rule. A running server deletes what is older within ten minutes. A room or\n' +
    'conference with the field recording_retention_days has a rule of its own.',
  positionals: [{ name: 'project-id', doc: 'The project, as "parley projects list" shows it.' }],
  options: {
    days: { value: 'number', doc: 'Days after which recordings are deleted, or forever.' },
    json: { doc: 'Print JSON.' },
  },
  async run({ env, clock, actor, say }, args) {
    const [id = ''] = args.positionals
    const change = daysIn(args)
    const days = await withStorage(readConfig(env), async (storage) => {
      if (!(await storage.projects.find(id))) throw new OperatorError(`There is no project ${id}.`)
      const retention = createRetention({ storage, clock })
      return change === undefined ? retention.get(id) : retention.set(id, change, actor)
    })
    if (args.has('json')) say(JSON.stringify({ project_id: id, days }))
    else say(days === null ? 'Recordings are kept for ever.' : `Recordings are kept for ${days} days.`)
    return undefined
  },
}
