import { options } from './config/options.ts'
import { type Config, unknownOptions } from './config.ts'

type Env = Readonly<Record<string, string | undefined>>

/** An option with its value in effect. */
export interface OptionValue {
  /** Name of the environment variable. */
  variable: string
  /** In the unit of the variable; `(secret)` if it is never shown. */
  value: unknown
  source: 'environment' | 'default'
  doc: string
}

/** All options with their values and where each came from, without secrets. */
export function optionValues(config: Config, env: Env): OptionValue[] {
  const values: Readonly<Record<string, unknown>> = config
  return Object.entries(options).map(([name, { env: variable, type, secret, doc }]) => {
    const value = secret && values[name] !== null ? '(secret)' : spelt(values[name], type)
    return { variable, value, source: env[variable]?.trim() ? 'environment' : 'default', doc }
  })
}

/** A value in the unit of its variable, so that it can be used as the variable's text. */
function spelt(value: unknown, type: string): unknown {
  if (type === 'seconds') return Number(value) / 1000
  return typeof value === 'boolean' ? Number(value) : value
}

/** A value as people read it; null if there is none. */
export function valueText(value: unknown): string | null {
  if (value === null || (Array.isArray(value) && value.length === 0)) return null
  if (Array.isArray(value)) return value.map(itemText).join(', ')
  if (typeof value === 'object' && 'first' in value && 'last' in value) return `${value.first}-${value.last}`
  return itemText(value)
}

const itemText = (item: unknown): string => (typeof item === 'object' ? JSON.stringify(item) : String(item))

/** The configuration as the API shows it. */
export const shownConfiguration = (config: Config, env: Env) => ({
  data: optionValues(config, env).map(({ variable, value, source, doc }) => ({
    name: variable,
    value: valueText(value),
    source,
    description: doc,
  })),
  unknown: unknownOptions(env),
})

/** The secrets of the configuration, such as the API token. */
export function configuredSecrets(config: Config): string[] {
  const values: Readonly<Record<string, unknown>> = config
  return Object.entries(options).flatMap(([name, { secret }]) => {
    const value = secret ? values[name] : null
    return typeof value === 'string' ? [value] : []
  })
}
