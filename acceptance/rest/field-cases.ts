import { resolve, type Schema } from './api-document.ts'

/** A value to send, and whether the server must accept it. */
export interface FieldCase {
  value: unknown
  accepted: boolean
}

const INJECTIONS = [
  `'; DROP TABLE rooms; --`,
  `" OR "1"="1`,
  '<script>alert(1)</script>',
  '{{7*7}}#{7*7}',
  '../../etc/passwd',
  '%00%0d%0aSet-Cookie: x=y',
  '\r\nX-Injected: yes',
  '__proto__',
  '$(reboot)`reboot`',
  '\u202Eright to left\u2028',
]
const UNICODE = ['ключ', '會議', 'مرحبا', '👩‍👩‍👧‍👦', 'e\u0301', '\uFEFF']
const MOMENTS = ['2030-01-31', '2030-01-31T09:30:00Z', '2030-01-31T09:30:00.5+02:00', '2028-02-29T00:00:00Z']
const NO_MOMENTS = [
  '2022-02-30',
  '2030-13-01T00:00:00Z',
  'tomorrow',
  '',
  '2030-01-31T25:00:00Z',
  '31.01.2030',
  '12',
]

/** The type of a schema, apart from null. */
export const typeOf = (schema: Schema): string =>
  [schema.type].flat().find((one): one is string => one !== undefined && one !== 'null') ?? ''

export const isMoment = (schema: Schema): boolean => schema.format?.startsWith('date-or') ?? false

const accepted = (...values: unknown[]): FieldCase[] => values.map((value) => ({ value, accepted: true }))
const refused = (...values: unknown[]): FieldCase[] => values.map((value) => ({ value, accepted: false }))

/**
 * Values on both sides of every limit of a schema.
 * @param isRequired null is valid only for an optional field
 */
export function casesOf(schema: Schema, isRequired: boolean): FieldCase[] {
  const isNullable = [schema.type].flat().includes('null')
  const none = isNullable && !isRequired ? accepted(null) : refused(null)
  const byType: Record<string, (schema: Schema) => FieldCase[]> = {
    string: textCases,
    integer: numberCases,
    boolean: () => [...accepted(true, false), ...refused('true', 1, 0, '', {}, [])],
    object: objectCases,
    array: arrayCases,
  }
  return [...none, ...(byType[typeOf(schema)]?.(schema) ?? [])]
}

function textCases(schema: Schema): FieldCase[] {
  const wrongTypes = refused(7, true, {}, [], ['text'])
  if (schema.enum) {
    const values = schema.enum.filter((value) => value !== null) as string[]
    return [...accepted(...values), ...refused('', 'no-such-value', `${values[0]} `), ...wrongTypes]
  }
  if (schema.format === 'uuid') return [...accepted(NIL), ...refused('', 'no-uuid', `${NIL}0`), ...wrongTypes]
  if (isMoment(schema)) {
    const timestamps =
      schema.format === 'date-or-date-time-or-timestamp' ? NO_MOMENTS.slice(0, -1) : NO_MOMENTS
    return [...accepted(...MOMENTS), ...refused(...timestamps), ...wrongTypes]
  }
  return [
    ...(schema.pattern ? patternCases(schema) : accepted(...INJECTIONS)),
    ...lengthCases(schema),
    ...wrongTypes,
  ]
}

const NIL = '00000000-0000-4000-8000-000000000000'

/** Cases for each kind of pattern: names, colours, and text that can be stored. */
function patternCases({ pattern = '', minLength = 0 }: Schema): FieldCase[] {
  if (pattern.startsWith('^#')) {
    return [
      ...accepted('#000000', '#AbCdEf'),
      ...refused('', '#fff', '000000', '#GGGGGG', '#0000000', ' #000000'),
    ]
  }
  const regex = new RegExp(pattern, 'u')
  const byPattern = (...values: string[]): FieldCase[] =>
    values.map((value) => ({ value, accepted: regex.test(value) }))
  if (regex.test(' ')) {
    const empty = minLength === 0 ? accepted('') : refused('')
    return [...empty, ...byPattern(...INJECTIONS, ...UNICODE), ...refused('a\u0000b', '\ud800')]
  }
  return [
    ...accepted('a', 'A-z_0-9'),
    ...refused('', 'a b', ...INJECTIONS.slice(0, 6), ...UNICODE),
    ...byPattern('a.b'),
  ]
}

/** Length counts characters, not the UTF-16 units or bytes of a character. */
function lengthCases({ pattern, maxLength }: Schema): FieldCase[] {
  if (maxLength === undefined || pattern?.startsWith('^#')) return []
  const isName = pattern !== undefined && !new RegExp(pattern, 'u').test(' ')
  const plain = [...accepted('x'.repeat(maxLength)), ...refused('x'.repeat(maxLength + 1))]
  if (isName || maxLength > 3000) return plain
  return [...plain, ...accepted('🎥'.repeat(maxLength)), ...refused('🎥'.repeat(maxLength + 1))]
}

function numberCases({ minimum, maximum }: Schema): FieldCase[] {
  return [
    ...(minimum === undefined ? [] : [...accepted(minimum), ...refused(minimum - 1)]),
    ...(maximum === undefined ? [] : [...accepted(maximum), ...refused(maximum + 1)]),
    ...refused((minimum ?? 0) + 0.5, '7', '', true, {}, []),
  ]
}

/** `{"a":"xxx"}` with this many characters. */
const jsonOf = (characters: number, filling = 'x') => ({ a: filling.repeat(characters - 8) })

function objectCases(schema: Schema): FieldCase[] {
  const limit = schema['x-max-serialized-length']
  const sized =
    limit === undefined
      ? []
      : [
          ...accepted(jsonOf(limit), jsonOf(limit, '🎥')),
          ...refused(jsonOf(limit + 1), jsonOf(limit + 1, '🎥')),
        ]
  const tricky = JSON.parse('{"constructor": {"x": 1}, "ключ": [null, 1.5, {"b": "\\u2028"}]}') as object
  return [...accepted({}, tricky), ...sized, ...refused('text', 7, true, [], [{}])]
}

function arrayCases({ items, minItems = 0 }: Schema): FieldCase[] {
  const values = (items && resolve(items).enum) ?? []
  return [
    ...(minItems === 0 ? accepted([]) : refused([])),
    ...(values.length > 0 ? accepted([values[0]], values) : []),
    ...refused('text', 7, true, {}, [7], [null], ['no such value'], [['nested']]),
  ]
}

/** Error codes for wrong types. */
const TYPE_CODES: Readonly<Record<string, string>> = {
  string: 'not_a_string',
  boolean: 'not_a_boolean',
  object: 'not_a_hash',
  array: 'not_an_array_of_strings',
}

/** The most specific error code for a value that a field does not accept. */
export function codeOf(schema: Schema, value: unknown): string {
  if (isMoment(schema)) return 'not_a_datetime'
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  const wanted = typeOf(schema)
  if (type !== wanted) return TYPE_CODES[wanted] ?? 'invalid_parameter'
  if (type === 'object') return schema['x-error-codes']?.['x-max-serialized-length'] ?? 'invalid_parameter'
  if (!Array.isArray(value) || value.length === 0) return 'invalid_parameter'
  const isText = value.every((one) => typeof one === 'string')
  return isText ? 'list_contains_invalid_entries' : 'not_an_array_of_strings'
}
