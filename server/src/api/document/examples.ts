import { isObject, type Json, type JsonObject } from './json.ts'

/** Parts of a document that contain values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum'])

/**
 * Adds an example to every field that needs no specific one: its default, its list of values or its type shows what it
 * looks like.
 * @param part part of the document; changed in place
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

/**
 * Adds an example to every request and every successful answer that has none. It is composed of the examples of the
 * fields.
 * @param paths paths of the document, after {@link exemplify}; changed in place
 */
export function exemplifyBodies(paths: JsonObject): void {
  for (const [path, operations] of Object.entries(paths)) {
    for (const operation of Object.values(operations as JsonObject)) {
      const { requestBody, responses } = operation as JsonObject
      for (const body of [requestBody, ...Object.values(responses as JsonObject)]) addExample(body, path)
    }
  }
}

function addExample(body: Json | undefined, path: string): void {
  const content = isObject(body) ? body.content : undefined
  const media = isObject(content) ? content['application/json'] : undefined
  if (!isObject(media) || !isObject(media.schema)) return
  if (media.example !== undefined || media.examples !== undefined) return
  const example = composed(media.schema)
  if (isObject(example) && isObject(example.links)) example.links = linksBelow(path, example.links)
  media.example = example
}

/** Composes an example from the required fields of an answer, or from all fields of a request. */
function composed(schema: JsonObject): Json {
  if (Array.isArray(schema.examples) && schema.examples[0] !== undefined) return schema.examples[0]
  if (isObject(schema.items)) return [composed(schema.items)]
  const required = Array.isArray(schema.required) ? schema.required : []
  const isAnswer = schema.additionalProperties === false
  const fields = Object.entries((schema.properties ?? {}) as JsonObject)
  const shown = fields.filter(([name]) => !isAnswer || required.includes(name))
  return Object.fromEntries(shown.map(([name, field]) => [name, composed(field as JsonObject)]))
}

/** Adapts example links to a path, because all lists share one schema, whose examples are links of rooms. */
function linksBelow(path: string, links: JsonObject): JsonObject {
  const concrete = path.replaceAll(/\{\w+\}/g, '9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11')
  const moved = Object.entries(links).map(([name, link]) => [
    name,
    typeof link === 'string' ? link.replace(/^[^?]+/, concrete) : link,
  ])
  return Object.fromEntries(moved)
}
