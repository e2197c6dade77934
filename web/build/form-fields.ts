import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const NAME = 'virtual:form-fields'
const DOCUMENT = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url))
/** What a form needs to know of a field. */
const KEPT = [
  'type',
  'enum',
  'format',
  'pattern',
  'maxLength',
  'minimum',
  'maximum',
  'default',
  'description',
]

/**
 * Gives the page the fields that requests can set, from the API document: a field that is declared on the server is in
 * the forms of the dashboard after the next build (see `src/dashboard/rooms/form-fields.d.ts`).
 */
export function formFields(): Plugin {
  return {
    name: 'form-fields',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
    load(id) {
      if (id !== `\0${NAME}`) return null
      this.addWatchFile(DOCUMENT)
      const { components } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document
      const forms = {
        rooms: formOf(components, 'CreateRoom'),
        conferences: formOf(components, 'CreateConference'),
      }
      return `export default ${JSON.stringify(forms)}`
    },
  }
}

interface Schema {
  required?: string[]
  properties: Record<string, Record<string, unknown>>
}

interface Document {
  components: { schemas: Record<string, Schema> }
}

function formOf({ schemas }: Document['components'], name: string) {
  const schema = schemas[name]
  if (!schema) throw new Error(`The API document has no ${name}.`)
  const fields = Object.entries(schema.properties).map(([field, facts]) => [
    field,
    Object.fromEntries(Object.entries(facts).filter(([keyword]) => KEPT.includes(keyword))),
  ])
  return { required: schema.required ?? [], fields: Object.fromEntries(fields) }
}
