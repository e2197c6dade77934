import { readConfig } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { readEmbedOrigin } from '../../projects/embed-origin.ts'
import { createEmbedOrigins } from '../../projects/embed-origins.ts'
import type { Arguments, Command } from '../command.ts'
import { withStorage } from '../with-storage.ts'

const LIST = { value: 'list' }

/** The origins of an option, separated by commas, in their final form. */
const originsIn = (args: Arguments, option: string): string[] | undefined =>
  args
    .text(option)
    ?.split(',')
    .filter((text) => text.trim() !== '')
    .map(readEmbedOrigin)

/** The change that the options ask for; undefined if they ask for none. */
function changeOf(args: Arguments): ((present: readonly string[]) => string[]) | undefined {
  const [set, add, remove] = ['set', 'add', 'remove'].map((option) =>
    option === 'set' && args.text(option) === 'none' ? [] : originsIn(args, option),
  )
  if (set && (add || remove)) throw new OperatorError('Give either --set, or --add and --remove.')
  if (!set && !add && !remove) return undefined
  return (present) => {
    const gone = remove?.filter((origin) => !present.includes(origin)) ?? []
    if (gone.length > 0) throw new OperatorError(`${gone.join(', ')} is not in the list.`)
    return [...(set ?? present.filter((origin) => !remove?.includes(origin))), ...(add ?? [])]
  }
}

/** Shows and changes which pages may embed what a project has. */
export const embedOriginsCommand: Command = {
  name: 'projects embed-origins',
  summary: 'Choose the pages of other sites that may embed conferences and rooms of a project.',
  details:
    'At first there are none. Without --set, --add and --remove it shows the list. An origin is scheme, host, and the port\n' +
    'unless it is the usual one: https://shop.example. https://*.shop.example is every host below shop.example.',
  positionals: [{ name: 'project-id', doc: 'The project, as "parley projects list" shows it.' }],
  options: {
    add: { ...LIST, doc: 'Origins to add, separated by commas.' },
    remove: { ...LIST, doc: 'Origins to take away, separated by commas.' },
    set: { ...LIST, doc: 'The whole list, or none.' },
    json: { doc: 'Print JSON.' },
  },
  async run({ env, clock, actor, say, note }, args) {
    const [id = ''] = args.positionals
    const change = changeOf(args)
    const origins = await withStorage(readConfig(env), async (storage) => {
      if (!(await storage.projects.find(id))) throw new OperatorError(`There is no project ${id}.`)
      const service = createEmbedOrigins({ storage, clock })
      return change ? service.change(id, change, actor) : service.list(id)
    })
    if (args.has('json')) say(JSON.stringify({ project_id: id, origins }))
    else if (origins.length === 0) note(`No pages of other sites may embed what ${id} has.`)
    else say(origins.join('\n'))
    return undefined
  },
}
