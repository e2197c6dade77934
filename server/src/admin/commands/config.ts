import { readConfig, unknownOptions } from '../../config.ts'
import { optionValues, valueText } from '../../config-values.ts'
import type { Command } from '../command.ts'
import { columns } from '../help.ts'

const show: Command = {
  name: 'config show',
  summary: 'Show the configuration as the server would read it. Secrets are not shown.',
  options: { json: { doc: 'Print JSON.' } },
  async run({ env, say, note }, args) {
    const entries = optionValues(readConfig(env), env).map(({ doc: _, ...entry }) => entry)
    if (args.has('json')) say(JSON.stringify(entries))
    else
      say(
        columns(
          entries.map(({ variable, value, source }) => [variable, valueText(value) ?? '-', `(${source})`]),
        ),
      )
    for (const name of unknownOptions(env)) note(`There is no option ${name}.`)
    return undefined
  },
}

export const configCommands: readonly Command[] = [show]
