import { type TOptional, type TUnsafe, Type } from 'typebox'
import { Optional } from './building-blocks.ts'
import { parseMoment } from './dates.ts'
import type { Body, Field, Fields, Kind } from './fields.ts'
import type { StoredValueOf } from './records.ts'

/** Bodies of requests, made from the declared fields: schemas and readers. */

type Settable<F extends Fields, B extends Body> = {
  [Name in keyof F]: F[Name] extends { set: readonly (infer In)[] } ? (B extends In ? Name : never) : never
}[keyof F] &
  string

type SentValue<F> = F extends Kind<unknown, infer Sent> ? Sent : never

type IsRequired<F> = F extends { required: true } ? true : F extends { default: unknown } ? false : true

type BodySchema<F> =
  IsRequired<F> extends true ? TUnsafe<SentValue<F>> : TOptional<TUnsafe<SentValue<F> | null>>

/** The fields that a request can set, as the properties of its schema. */
export function bodyFields<F extends Fields, B extends Body>(
  fields: F,
  body: B,
): { [Name in Settable<F, B>]: BodySchema<F[Name]> } {
  const settable = Object.entries(fields).filter(([, field]) => field.set?.includes(body))
  const schemas = settable.map(([name, field]) => [name, requestSchema(field)])
  return Object.fromEntries(schemas) as { [Name in Settable<F, B>]: BodySchema<F[Name]> }
}

/** A value in a request as JSON Schema. A field that has a default may be absent or null. */
function requestSchema({ request, default: fallback, examples, description, required }: Field) {
  const schema = Type.Unsafe({
    ...request,
    ...(fallback != null && !required && { default: fallback }),
    ...(examples && { examples }),
    description,
  })
  return fallback === undefined || required ? schema : Optional(schema)
}

/** The values of all fields that a request can set, as records hold them. */
export type SetIn<F extends Fields, B extends Body> = { [Name in Settable<F, B>]: StoredValueOf<F[Name]> }

/** Values that a body sets. Absent fields set nothing, null asks for the default, times are Unix milliseconds. */
export type SaidIn<F extends Fields, B extends Body> = {
  [Name in Settable<F, B>]?: StoredValueOf<F[Name]> | null
}

type SentIn<F extends Fields, B extends Body> = { [Name in Settable<F, B>]?: SentValue<F[Name]> | null }

/** A body without undeclared fields, which would be accepted and then ignored. */
export type WithoutUnread<Known, Given> = Given & Record<Exclude<keyof Given, keyof Known>, never>

/**
 * For bodies whose fields are read one by one: pass it the remaining fields. It does nothing at run time, and does not
 * compile while a field remains that nobody reads.
 */
export const nothingLeft = <Rest extends object>(_rest: WithoutUnread<object, Rest>): void => {}

/**
 * Makes the reader of a validated body. A body with an undeclared field does not compile: remove such a field from the
 * body before.
 */
export function bodyReader<F extends Fields, B extends Body>(fields: F, body: B) {
  const settable = Object.entries(fields).filter(([, field]) => field.set?.includes(body))
  const names = settable.map(([name]) => name)
  const moments = settable.filter(([, field]) => field.column === 'moment').map(([name]) => name)

  return <Given extends SentIn<F, B>>(given: WithoutUnread<SentIn<F, B>, Given>): SaidIn<F, B> => {
    const sent = given as Readonly<Record<string, unknown>>
    const said: Record<string, unknown> = {}
    for (const name of names) {
      if (sent[name] !== undefined) said[name] = sent[name]
    }
    for (const name of moments) {
      const text = said[name]
      if (typeof text === 'string') said[name] = parseMoment(text) ?? null
    }
    return said as SaidIn<F, B>
  }
}
