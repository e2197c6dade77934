import type { TSchema } from 'typebox'

interface FieldSchema {
  format?: string
  items?: { format?: string }
}

/**
 * Makes a function that converts the ids in an object of this schema, UUIDs and lists of UUIDs, to lower case, as
 * storage has them. Callers may use either case (RFC 9562, section 4).
 * @returns the function; it does not change its argument
 */
export function withLowerCaseIds(schema: TSchema | undefined): (value: unknown) => unknown {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, FieldSchema> }
  const names = Object.entries(properties)
    .filter(([, { format, items }]) => format === 'uuid' || items?.format === 'uuid')
    .map(([name]) => name)
  if (names.length === 0) return (value) => value
  return (value) => {
    const read = { ...(value as Record<string, unknown>) }
    for (const name of names) if (read[name] !== undefined) read[name] = inLowerCase(read[name])
    return read
  }
}

function inLowerCase(id: unknown): unknown {
  if (Array.isArray(id)) return id.map(inLowerCase)
  return typeof id === 'string' ? id.toLowerCase() : id
}
