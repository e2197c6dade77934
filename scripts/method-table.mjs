import { ROOM_METHOD_NAMES, requiredPermission } from '../server/src/rooms/permissions.ts'
import { ROOM_METHODS } from '../server/src/signaling/room-methods/room-methods.ts'

/** @typedef {import('../server/src/rooms/permissions.ts').PermissionRequirement} Requirement */

/** @param {readonly string[]} names */
const code = (names) => names.map((name) => `\`${name}\``)

/** All of the requirement, each with its alternatives. @param {Requirement | null} requirement */
const inWords = (requirement) => requirement?.map((anyOf) => code(anyOf).join(' or ')).join(' and ') ?? ''

/** The permission or permissions that a method needs. @param {string} method */
function permission(method) {
  const [self, others, withPositions] = [
    requiredPermission(method, { self: true }),
    requiredPermission(method, { self: false }),
    requiredPermission(method, { self: false, withPositions: true }),
  ].map(inWords)
  if (self !== others) return `oneself: ${self}; others: ${others}`
  return withPositions === others ? others || 'none' : `${others}; with \`positions\`: ${withPositions}`
}

/** The parameters besides `room_session_id`. Those that may be absent have a question mark. @param {object} schema */
function parameters(schema) {
  const { properties, required = [] } = /** @type {{ properties: object, required?: string[] }} */ (schema)
  return code(Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`))).join(', ')
}

/** A Markdown table of all room methods. Those that are not served yet have a permission all the same. */
export function methodTable() {
  const rows = ROOM_METHOD_NAMES.map((name) => {
    const method = ROOM_METHODS.get(name)
    const { events = [], history = [], since = method ? '' : 'not served' } = method?.facts ?? {}
    const cells = [
      `\`${name}\``,
      method ? parameters(method.schema) : '',
      permission(name),
      code(events).join(', '),
      code(history).join(', '),
      since,
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '| Method | Parameters | Permission | Events to clients | Events of the history | Served since |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}
