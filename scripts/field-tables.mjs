import { COLOR_PATTERN, NAME_PATTERN } from '../server/src/resources/building-blocks.ts'

/** @typedef {import('../server/src/resources/fields.ts').Field} Field */

/** The values that a field accepts in a request. @param {Field} field */
function values({ request: schema, column }) {
  const request = /** @type {Record<string, any>} */ (schema)
  const { type, enum: choices, minimum, maximum, maxLength, pattern } = request
  if (choices) return choices.map((/** @type {string} */ choice) => `\`${choice}\``).join(', ')
  if (column === 'moment') return 'date and time'
  if (type === 'boolean') return '`true`, `false`'
  if (type === 'integer') return `${minimum} to ${maximum?.toLocaleString('en')}`
  if (type === 'array') return 'a list, below'
  if (type === 'object') return `a JSON object of up to ${request['x-max-serialized-length']} characters`
  if (pattern === NAME_PATTERN) return `letters, digits, \`_\`, \`-\`; up to ${maxLength}`
  if (pattern === COLOR_PATTERN) return '`#RRGGBB`'
  return `text of up to ${maxLength} characters`
}

/** @param {Field} field */
function fallback({ default: value, required }) {
  if (value === undefined || required) return 'required'
  return Array.isArray(value) ? `${value.length} of them, below` : `\`${value}\``
}

/**
 * A Markdown table of the fields that requests can set.
 * @param {Readonly<Record<string, Field>>} fields
 * @param {(field: Field) => boolean} isShown
 */
export function fieldTable(fields, isShown) {
  const rows = Object.entries(fields)
    .filter(([, field]) => isShown(field))
    .map(([name, field]) => `| \`${name}\` | ${values(field)} | ${fallback(field)} | ${field.description} |`)
  return ['| Field | Values | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n')
}
