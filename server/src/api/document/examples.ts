import { isObject, type Json, type JsonObject } from './json.ts'

/** Parts of a document in which values stand, and no schemas. */
const VALUES: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum'])

/**
 * Gives an example to every field that needs none of its own, since its default, or its list of values, or its type says
 * what it looks like.
 * @param part of the document; changed
 */
export function exemplify(part: Json | undefined): void {
  if (Array.isArray(part)) part.forEach(exemplify)
  if (!isObject(part)) return
  for (const [key, value] of Object.entries(part)) {
    if (!VALUES.has(key)) exemplify(value)
  }
  if (part.examples !== undefined || part.example !== undefined || part.type === undefined) return
  const example = evident(part)
  if (example !== undefined) part.examples = [example]
}

function evident(schema: JsonObject): Json | undefined {
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const types = [schema.type].flat()
  if (types.includes('boolean')) return true
  const items = isObject(schema.items) ? schema.items.examples : undefined
  return types.includes('array') && Array.isArray(items) ? items : undefined
}
