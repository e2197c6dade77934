import { isObject, type Json, type JsonObject } from './json.ts'

/**
 * Moves every schema with a title to `components.schemas`, and leaves a reference in its place. So the document defines
 * each thing once, and clients get a type for each.
 * @param root the document; changed in place
 * @throws Error when two different schemas have the same title
 */
export function shareTitledSchemas(root: JsonObject): void {
  const shared: JsonObject = {}

  const walk = (value: Json | undefined): Json | undefined => {
    if (Array.isArray(value)) return value.map((item) => walk(item) ?? null)
    if (!isObject(value)) return value
    const walked = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item)]))
    return isTitledSchema(walked) ? share(walked) : walked
  }

  const share = (schema: JsonObject): JsonObject => {
    const { type } = schema
    if (Array.isArray(type)) {
      const plain = { ...schema, type: type.filter((one) => one !== 'null')[0] ?? 'object' }
      return { anyOf: [share(plain), { type: 'null' }] }
    }
    const name = String(schema.title)
    const known = shared[name]
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two schemas have the title ${name}`)
    }
    shared[name] = schema
    return { $ref: `#/components/schemas/${name}` }
  }

  root.paths = walk(root.paths)
  const sorted = Object.fromEntries(Object.entries(shared).sort(([a], [b]) => (a < b ? -1 : 1)))
  root.components = { ...(root.components as JsonObject), schemas: sorted }
}

const isTitledSchema = ({ title, type }: JsonObject): boolean =>
  typeof title === 'string' && type !== undefined

/**
 * Moves identical error answers of several operations to `components.responses`.
 * @param root the document; changed in place
 */
export function shareErrorAnswers(root: JsonObject): void {
  const answers = operationsOf(root).flatMap(({ responses }) => Object.entries(responses as JsonObject))
  const errors = answers.filter(([status]) => Number(status) >= 400)
  const counts = new Map<string, number>()
  for (const [, answer] of errors) {
    const text = JSON.stringify(answer)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const names = new Map<string, string>()
  const responses: JsonObject = {}
  for (const [status, answer] of errors) {
    const text = JSON.stringify(answer)
    if (names.has(text) || (counts.get(text) ?? 0) < 2) continue
    const variant = [...names.values()].filter((name) => name.startsWith(`Error${status}`)).length
    const name = variant === 0 ? `Error${status}` : `Error${status}Variant${variant + 1}`
    names.set(text, name)
    responses[name] = answer
  }
  for (const operation of operationsOf(root)) {
    const entries = Object.entries(operation.responses as JsonObject).map(([status, answer]) => {
      const name = names.get(JSON.stringify(answer))
      return [status, name ? { $ref: `#/components/responses/${name}` } : answer]
    })
    operation.responses = Object.fromEntries(entries) as JsonObject
  }
  root.components = { ...(root.components as JsonObject), responses }
}

const operationsOf = (root: JsonObject): JsonObject[] =>
  Object.values(root.paths as JsonObject).flatMap((path) => Object.values(path as JsonObject) as JsonObject[])
