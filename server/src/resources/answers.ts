import { type TSchema, type TUnsafe, Type } from 'typebox'
import { Nullable } from './building-blocks.ts'
import { formatMoment } from './dates.ts'
import type { Field, Fields, Kind, View } from './fields.ts'
import type { RecordOf } from './records.ts'

/** Answers, made from the declared fields: schemas, and functions that show records. */

type Shown<F extends Fields, V extends View> = {
  [Name in keyof F]: F[Name] extends { shown: readonly (infer In)[] } ? (V extends In ? Name : never) : never
}[keyof F] &
  string

type WireValue<F> = F extends Kind<unknown, infer Sent> ? Sent : never

type IsNullable<F, V extends View> = F extends { default: null }
  ? true
  : F extends { nullable: readonly (infer In)[] }
    ? V extends In
      ? true
      : false
    : false

type ShownValue<F, V extends View> = IsNullable<F, V> extends true ? WireValue<F> | null : WireValue<F>

/** Shown values of declared fields. */
export type ShownIn<F extends Fields, V extends View> = { [Name in Shown<F, V>]: ShownValue<F[Name], V> }

const shownIn = (fields: Fields, view: View) =>
  Object.entries(fields).filter(([, field]) => field.shown?.includes(view))

/** Schemas of the shown fields, for the properties of the answer's schema. */
export function answerFields<F extends Fields, V extends View>(
  fields: F,
  view: V,
): { [Name in Shown<F, V>]: TUnsafe<ShownValue<F[Name], V>> } {
  const schemas = shownIn(fields, view).map(([name, field]) => [name, answerSchema(field, view)])
  return Object.fromEntries(schemas) as { [Name in Shown<F, V>]: TUnsafe<ShownValue<F[Name], V>> }
}

function answerSchema({ answer, examples, description, inAnswers, ...field }: Field, view: View): TSchema {
  const schema = Type.Unsafe({ ...answer, ...(examples && { examples }), ...inAnswers, description })
  return field.default === null || field.nullable?.includes(view) ? Nullable(schema) : schema
}

type Computed<F extends Fields, V extends View> = {
  [Name in Shown<F, V> as F[Name] extends { computed: true } ? Name : never]: F[Name] extends Kind<
    infer Value,
    unknown
  >
    ? IsNullable<F[Name], V> extends true
      ? Value | null
      : Value
    : never
}

type Stored<F extends Fields, V extends View> = Pick<RecordOf<F>, Shown<F, V> & keyof RecordOf<F>>

/** Argument for the computed fields of a view, if it has any. */
type ComputedArguments<F extends Fields, V extends View> = keyof Computed<F, V> extends never
  ? []
  : [computed: Computed<F, V>]

/**
 * Makes the function that shows a record. Moments are written as ISO 8601. Declared fields that this view does not show
 * are undefined in the result. Undeclared fields stay, and the schema of the answer leaves them out.
 *
 * The function copies the whole record at once, because engines do that several times faster than field by field.
 */
export function shower<F extends Fields, V extends View>(fields: F, view: V) {
  const shown = shownIn(fields, view)
  const names = new Set(shown.map(([name]) => name))
  const hidden = Object.keys(fields).filter((name) => !names.has(name) && !fields[name]?.computed)
  const moments = shown.filter(([, field]) => field.column === 'moment').map(([name]) => name)

  return (record: Stored<F, V>, ...[computed]: ComputedArguments<F, V>): ShownIn<F, V> => {
    const copy: Record<string, unknown> = { ...record, ...computed }
    for (const name of hidden) copy[name] = undefined
    for (const name of moments) {
      const time = copy[name]
      if (typeof time === 'number') copy[name] = formatMoment(time)
    }
    return copy as ShownIn<F, V>
  }
}

/**
 * Makes the function that shows the fields of a view and nothing else, for objects that are written without a schema.
 * It is a little slower than {@link shower}.
 */
export function exactShower<F extends Fields, V extends View>(fields: F, view: V) {
  const shown = shownIn(fields, view)
  return (record: Stored<F, V>): ShownIn<F, V> => {
    const copy: Record<string, unknown> = {}
    for (const [name, { column }] of shown) {
      const value = (record as Readonly<Record<string, unknown>>)[name]
      copy[name] = column === 'moment' && typeof value === 'number' ? formatMoment(value) : value
    }
    return copy as ShownIn<F, V>
  }
}
