import { type FieldSchema, type FormSchema, fieldKind } from './field-kind.ts'

/** What the fields of a form hold, by name: texts, as inputs have them. An empty text is no value. */
export type FormValues = Readonly<Record<string, string>>

/** A value that cannot be sent. */
export class UnreadableValue extends Error {
  readonly field: string

  constructor(field: string) {
    super(`${field} cannot be read`)
    this.field = field
  }
}

/** The values of a form. @param resource what is edited or duplicated; null for something new */
export function formValues({ fields }: FormSchema, resource: object | null): FormValues {
  const given = (resource ?? {}) as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, shownValue(field, given[name] ?? field.default)]),
  )
}

/**
 * The fields of a request.
 * @param before what the form held at first: fields that are as they were are left out, so that two people who change
 * different fields do not undo each other's work. Fields that the API requires are always there
 * @throws UnreadableValue
 */
export function changedFields(
  { fields, required }: FormSchema,
  values: FormValues,
  before: FormValues,
): Record<string, unknown> {
  const changed = Object.entries(fields).filter(
    ([name]) => required.includes(name) || values[name] !== before[name],
  )
  return Object.fromEntries(
    changed.map(([name, field]) => [name, sentValue(name, field, values[name] ?? '')]),
  )
}

function shownValue(field: FieldSchema, value: unknown): string {
  if (value === null || value === undefined) return ''
  const kind = fieldKind(field)
  if (kind === 'moment') return localTime(String(value))
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value)
}

function sentValue(name: string, field: FieldSchema, value: string): unknown {
  const text = value.trim()
  if (text === '') return null
  switch (fieldKind(field)) {
    case 'number':
      return Number(text)
    case 'switch':
    case 'maybe':
      return text === 'true'
    case 'moment':
      return momentOf(name, text)
    case 'json':
      return objectOf(name, text)
    default:
      return text
  }
}

function momentOf(name: string, text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new UnreadableValue(name)
  return time.toISOString()
}

function objectOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableValue(name)
  }
}

/** A time as inputs of the type `datetime-local` have it: `2030-01-31T10:30`, by the clock of this device. */
function localTime(moment: string): string {
  const time = new Date(moment)
  const two = (number: number) => String(number).padStart(2, '0')
  const day = `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  const seconds = time.getSeconds() === 0 ? '' : `:${two(time.getSeconds())}`
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}${seconds}`
}
