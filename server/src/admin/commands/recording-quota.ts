import { pino } from 'pino'
import { readConfig } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { MOST_QUOTA_BYTES } from '../../resources/recording-quota.ts'
import { createRecordingQuotas } from '../../rooms/retention/recording-quotas.ts'
import type { Arguments, Command } from '../command.ts'
import { withStorage } from '../with-storage.ts'

const GB = 1e9
const MOST_GB = MOST_QUOTA_BYTES / GB

/** @returns bytes; null for no limit; undefined if nothing is to change */
function bytesIn(args: Arguments): number | null | undefined {
  const text = args.text('gigabytes')
  if (text === undefined) return undefined
  if (text === 'none') return null
  const gigabytes = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && gigabytes > 0 && gigabytes <= MOST_GB) return Math.round(gigabytes * GB)
  throw new OperatorError(`--gigabytes takes a number up to ${MOST_GB}, or none.`)
}

/** Shows and changes how much the recordings of a project may take. */
export const recordingQuotaCommand: Command = {
  name: 'projects recording-quota',
  summary: 'Choose how much room the recordings of a project may take.',
  details:
    'At first there is no limit. Without --gigabytes it shows the limit and what is used. Where it is used up, no recording is\n' +
    'started; those that run go on.',
  positionals: [{ name: 'project-id', doc: 'The project, as "parley projects list" shows it.' }],
  options: {
    gigabytes: { value: 'number', doc: 'What all recordings may take together, or none for no limit.' },
    json: { doc: 'Print JSON.' },
  },
  async run({ env, clock, actor, say }, args) {
    const [id = ''] = args.positionals
    const change = bytesIn(args)
    const { quotaBytes, usedBytes, recordings } = await withStorage(readConfig(env), async (storage) => {
      if (!(await storage.projects.find(id))) throw new OperatorError(`There is no project ${id}.`)
      const quotas = createRecordingQuotas({ storage, clock, log: pino({ level: 'silent' }) })
      return change === undefined ? quotas.get(id) : quotas.set(id, change, actor)
    })
    const facts = { project_id: id, quota_in_bytes: quotaBytes, used_in_bytes: usedBytes, recordings }
    if (args.has('json')) say(JSON.stringify(facts))
    else {
      const limit = quotaBytes === null ? 'no limit' : `a limit of ${quotaBytes / GB} GB`
      say(`${recordings} recordings take ${(usedBytes / GB).toFixed(3)} GB; there is ${limit}.`)
    }
    return undefined
  },
}
