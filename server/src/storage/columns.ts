import type { Fields } from '../resources/fields.ts'
import { type RecordOf, type SpecialColumns, specialColumns } from '../resources/records.ts'

/**
 * Translates records to table rows and back. Both databases use the same few column types: text, integers (also for
 * booleans: 0 and 1) and JSON as text. Only this file translates.
 */

type StoredValue<V> = V extends boolean ? number : V extends object ? string : V

/** A record as a row. */
export type Stored<T> = { [Key in keyof T]: StoredValue<T[Key]> }

type KeysOf<T, Kind> = { [Key in keyof T]-?: NonNullable<T[Key]> extends Kind ? Key : never }[keyof T]
type BooleanKey<T> = KeysOf<T, boolean> & string
type JsonKey<T> = KeysOf<T, object> & string

/** Translates between a record and its row. Absent fields stay absent, so it also works for partial updates. */
export interface Columns<T> {
  toRow(record: T): Stored<T>
  toPartialRow(changes: Partial<T>): Partial<Stored<T>>
  fromRow(row: Stored<T>): T
}

/** The columns of a resource, derived from its declared fields. */
export const columnsOf = <F extends Fields>(fields: F): Columns<RecordOf<F>> =>
  translator<RecordOf<F>>(specialColumns(fields))

/**
 * The columns of a record that is not an API resource.
 * @param special every boolean or JSON field; the compiler checks that none is missing
 */
export const columns = <T extends object>(
  special: Record<BooleanKey<T>, 'boolean'> & Record<JsonKey<T>, 'json'>,
): Columns<T> => translator<T>(special)

function translator<T>(special: SpecialColumns): Columns<T> {
  const kinds = Object.entries(special)

  function write(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const row: Record<string, unknown> = { ...record }
    for (const [name, kind] of kinds) {
      const value = row[name]
      if (value === null || value === undefined) continue
      row[name] = kind === 'boolean' ? Number(value) : JSON.stringify(value)
    }
    return row
  }

  function read(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const record: Record<string, unknown> = { ...row }
    for (const [name, kind] of kinds) {
      const value = record[name]
      if (value === null || value === undefined) continue
      record[name] = kind === 'boolean' ? value === 1 : JSON.parse(String(value))
    }
    return record
  }

  return {
    toRow: (record) => write(record as Record<string, unknown>) as Stored<T>,
    toPartialRow: (changes) => write(changes as Record<string, unknown>) as Partial<Stored<T>>,
    fromRow: (row) => read(row as Record<string, unknown>) as T,
  }
}

/**
 * Limit for lists of open rows, which have no pages. The limit also makes SQLite read them in a thread instead of the
 * main thread.
 */
export const MOST_OPEN = 100_000
