import { options, readConfig, unknownOptions } from '../../config.ts'
import type { Command } from '../command.ts'
import { columns } from '../help.ts'

const show: Command = {
  name: 'config show',
  summary: 'Show the configuration as the server would read it. Secrets are not shown.',
  options: { json: { doc: 'Print JSON.' } },
  async run({ env, say, note }, args) {
    const config: Readonly<Record<string, unknown>> = readConfig(env)
    const entries = Object.entries(options).map(([name, { env: variable, type, secret }]) => {
      const value = secret && config[name] !== null ? '(secret)' : spelt(config[name], type)
      return { variable, value, source: env[variable]?.trim() ? 'environment' : 'default' }
    })
    if (args.has('json')) say(JSON.stringify(entries))
    else say(columns(entries.map(({ variable, value, source }) => [variable, shown(value), `(${source})`])))
    for (const name of unknownOptions(env)) note(`There is no option ${name}.`)
    return undefined
  },
}

/** A value in the unit of its variable, so that it can be used as the variable's text. */
function spelt(value: unknown, type: string): unknown {
  if (type === 'seconds') return Number(value) / 1000
  return typeof value === 'boolean' ? Number(value) : value
}

function shown(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '-'
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value === 'object' && 'first' in value && 'last' in value) return `${value.first}-${value.last}`
  return String(value)
}

export const configCommands: readonly Command[] = [show]
