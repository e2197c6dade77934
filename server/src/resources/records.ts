import type { Field, Fields, Kind } from './fields.ts'

/** Stored form of a resource, made from the declared fields: types of records, defaults, and kinds of columns. */

type ValueOf<F> = F extends Kind<infer Value, unknown> ? Value : never

/** Value of a field in a record. It may be null if the default is null. */
export type StoredValueOf<F extends Field> = F extends { default: null } ? ValueOf<F> | null : ValueOf<F>

/** A record of declared fields. Names are those of the wire; times are Unix milliseconds. */
export type RecordOf<F extends Fields> = {
  [Name in keyof F as F[Name] extends { computed: true } ? never : Name]: StoredValueOf<F[Name]>
}

type Defaulted<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { computed: true }
    ? never
    : F[Name] extends { default: unknown }
      ? Name
      : never
}[keyof F]

/** The values of all stored fields that have a default. */
export type DefaultsOf<F extends Fields> = { [Name in Defaulted<F>]: StoredValueOf<F[Name]> }

/** The defaults of declared fields. */
export function defaultsOf<F extends Fields>(fields: F): DefaultsOf<F> {
  const defaulted = Object.entries(fields).filter(
    ([, field]) => field.default !== undefined && !field.computed,
  )
  return Object.fromEntries(defaulted.map(([name, field]) => [name, field.default])) as DefaultsOf<F>
}

/** Columns that need a conversion in the database: by name, how it stores them. */
export type SpecialColumns = Readonly<Record<string, 'boolean' | 'json'>>

/** The boolean and JSON fields among declared fields. */
export function specialColumns(fields: Fields): SpecialColumns {
  const special: Record<string, 'boolean' | 'json'> = {}
  for (const [name, { column, computed }] of Object.entries(fields)) {
    if (!computed && (column === 'boolean' || column === 'json')) special[name] = column
  }
  return special
}

type Copied<F extends Fields> = {
  [Name in keyof F as F[Name] extends { copiedTo: 'session' } ? Name : never]: F[Name]
}

/** The fields that a session copies from its room. */
export function copiedToSession<F extends Fields>(fields: F): Copied<F> {
  const copied = Object.entries(fields).filter(([, field]) => field.copiedTo === 'session')
  return Object.fromEntries(copied) as Copied<F>
}

/** Makes a function that copies these fields of a record, and nothing else. */
export function picker<F extends Fields>(fields: F): (record: RecordOf<F>) => RecordOf<F> {
  const names = Object.keys(fields)
  return (record) => {
    const picked: Record<string, unknown> = {}
    for (const name of names) picked[name] = (record as Record<string, unknown>)[name]
    return picked as RecordOf<F>
  }
}
