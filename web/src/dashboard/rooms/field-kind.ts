/** A field as the API document describes it (JSON Schema), as far as a form needs it. */
export interface FieldSchema {
  type: string | readonly string[]
  enum?: readonly (string | null)[]
  format?: string
  pattern?: string
  maxLength?: number
  minimum?: number
  maximum?: number
  default?: unknown
  description: string
}

/** The fields of a form, in their order. */
export interface FormSchema {
  required: readonly string[]
  fields: Readonly<Record<string, FieldSchema>>
}

/** How a field is edited. `maybe` is a switch that need not be set. */
export type FieldKind =
  | 'text'
  | 'long-text'
  | 'number'
  | 'switch'
  | 'maybe'
  | 'choice'
  | 'moment'
  | 'colour'
  | 'json'

/** Texts that may be longer get a field of several lines. */
const ONE_LINE_MAX = 500

/** How a field of the API is edited, by its schema alone. */
export function fieldKind({
  type,
  enum: values,
  format,
  pattern,
  maxLength = 0,
  default: fallback,
}: FieldSchema): FieldKind {
  const types = typeof type === 'string' ? [type] : type
  if (values) return 'choice'
  if (types.includes('boolean')) return fallback === undefined ? 'maybe' : 'switch'
  if (types.includes('integer') || types.includes('number')) return 'number'
  if (!types.includes('string')) return 'json'
  if (format === 'date-or-date-time') return 'moment'
  if (pattern?.includes('#[0-9a-fA-F]{6}')) return 'colour'
  return maxLength > ONE_LINE_MAX ? 'long-text' : 'text'
}
