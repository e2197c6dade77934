import { type TSchema, Type } from 'typebox'
import { Color, Meta, Moment, Name, OneOf, Text, Timestamp, Uuid } from './building-blocks.ts'

/**
 * Declarations of the fields of resources, and the kinds of fields. A declaration is plain data: bounds, default,
 * words, and where the field appears. Schemas, records, defaults, readers and showers are made from it; see
 * docs/recipes.md.
 */

/** A request whose body can set fields. Each stands for creation and update alike. */
export type Body = 'room' | 'conference' | 'room_token' | 'webhook'

/** An object in which fields are shown. */
export type View =
  | 'room'
  | 'conference'
  | 'session'
  | 'active_session'
  | 'listed_session'
  | 'member'
  | 'recording'
  | 'stream'
  | 'event'
  | 'conference_token'
  | 'invitation'
  | 'webhook'
  | 'webhook_delivery'
  /** `room_session` and `room` of the client protocol (docs/protocol.md, section 4.1). */
  | 'live_session'

/** Properties of every declaration. */
export interface Words<Value> {
  readonly description: string
  /** Examples of the value on the wire, for the API document. */
  readonly examples?: readonly unknown[]
  /**
   * Value for a field that is absent, or null in a request. Without a default the field always has a value. With the
   * default null, there may be no value.
   */
  readonly default?: Value | null
  /** Requests that can set the field. */
  readonly set?: readonly Body[]
  /** The field must be given in requests, although it has a default elsewhere. */
  readonly required?: true
  /** Objects that show the field. */
  readonly shown?: readonly View[]
  /** Objects whose published type allows null, although the field always has a value. */
  readonly nullable?: readonly View[]
  /** A session copies the field from its room when it starts. */
  readonly copiedTo?: 'session'
  /** The field is computed when it is shown, and not stored. */
  readonly computed?: true
  /** The claim of a room token that carries the field. The token omits the claim when it has the default value. */
  readonly claim?: string
  /** The claim is in every token, because it is published so. */
  readonly claimAlways?: true
  /** Keywords of JSON Schema that differ in answers from those in requests. */
  readonly inAnswers?: Readonly<Record<string, unknown>>
}

/** Type and schemas of a field's value. Made by the functions below. */
export interface Kind<Value = unknown, Sent = Value> {
  /** How records and tables store the value. A moment is Unix milliseconds in both, and ISO 8601 on the wire. */
  readonly column: 'plain' | 'boolean' | 'json' | 'moment'
  /** JSON Schema of the value in a request, with its bounds. */
  readonly request: TSchema
  /** JSON Schema of the value in an answer. */
  readonly answer: TSchema
  /** Never set: carries the type of the value in a record. */
  readonly '~value'?: Value
  /** Never set: carries the type of the value on the wire. */
  readonly '~sent'?: Sent
}

/** A declared field. */
export type Field = Words<unknown> & Kind

/** The fields of a resource, by name. */
export type Fields = Readonly<Record<string, Field>>

const bare = { description: '' }

/** The schema of a building block without its description, which the declaration adds. */
function stripped({ description: _, ...schema }: TSchema & { description?: string }): TSchema {
  return schema
}

/** Text of limited length, in characters (code points). */
export const text = <const W extends Words<string>>(
  bounds: { maxLength: number; minLength?: number },
  words: W,
): W & Kind<string> => ({
  ...words,
  column: 'plain',
  request: stripped(Text({ ...bare, ...bounds })),
  answer: Type.String(),
})

/** Text of any length. No request sets it. */
export const anyText = <const W extends Words<string>>(words: W): W & Kind<string> => ({
  ...words,
  column: 'plain',
  request: Type.String(),
  answer: Type.String(),
})

/** Name of a room or conference. */
export const name = <const W extends Words<string>>(words: W): W & Kind<string> => ({
  ...words,
  column: 'plain',
  request: stripped(Name(bare)),
  answer: Type.String(),
})

/** A whole number. */
export const integer = <const W extends Words<number>>(
  bounds: { minimum?: number; maximum?: number },
  words: W,
): W & Kind<number> => ({
  ...words,
  column: 'plain',
  request: Type.Integer(bounds),
  answer: Type.Integer(),
})

/** One of a few whole numbers. No request sets it. */
export const oneOfIntegers = <const Value extends number, const W extends Words<Value>>(
  _values: readonly Value[],
  words: W,
): W & Kind<Value> => ({ ...words, column: 'plain', request: Type.Integer(), answer: Type.Integer() })

/** Any number. No request sets it. */
export const number = <const W extends Words<number>>(words: W): W & Kind<number> => ({
  ...words,
  column: 'plain',
  request: Type.Number(),
  answer: Type.Number(),
})

/** True or false. */
export const boolean = <const W extends Words<boolean>>(words: W): W & Kind<boolean> => ({
  ...words,
  column: 'boolean',
  request: Type.Boolean(),
  answer: Type.Boolean(),
})

/** One of a few strings. */
export const oneOf = <const Value extends string, const W extends Words<Value>>(
  values: readonly Value[],
  words: W,
): W & Kind<Value> => {
  const schema = { type: 'string', enum: [...values] }
  return { ...words, column: 'plain', request: schema, answer: schema }
}

/** One of a few strings in requests. Answers may have other values, which were not set by a request. */
export const oneOfAtFirst = <const W extends Words<string>>(
  values: readonly string[],
  words: W,
): W & Kind<string> => ({
  ...words,
  column: 'plain',
  request: { type: 'string', enum: [...values] },
  answer: Type.String(),
})

/** A date and time: ISO 8601 on the wire, Unix milliseconds in a record. */
export const moment = <const W extends Words<number>>(words: W): W & Kind<number, string> => ({
  ...words,
  column: 'moment',
  request: stripped(Moment(bare)),
  answer: stripped(Timestamp(bare)),
})

/** A JSON object that the caller defines, up to 2,000 characters of JSON. */
export const meta = <const W extends Words<Record<string, unknown>>>(
  words: W,
): W & Kind<Record<string, unknown>> => ({
  ...words,
  column: 'json',
  request: stripped(Meta(bare)),
  answer: { type: 'object', additionalProperties: true },
})

/** A list of strings from a fixed set. */
export const listOf = <const Value extends string, const W extends Words<readonly Value[]>>(
  item: { values: readonly Value[]; description: string },
  words: W,
): W & Kind<readonly string[]> => ({
  ...words,
  column: 'json',
  request: Type.Array(OneOf(item.values, { description: item.description })),
  answer: Type.Array(Type.String()),
})

/** A colour, as `#RRGGBB`. */
export const color = <const W extends Words<string> & { default: string }>(words: W): W & Kind<string> => ({
  ...words,
  column: 'plain',
  request: stripped(Color({ ...bare, default: words.default })),
  answer: Type.String(),
})

/** An id. */
export const uuid = <const W extends Words<string>>(words: W): W & Kind<string> => ({
  ...words,
  column: 'plain',
  request: stripped(Uuid(bare)),
  answer: stripped(Uuid(bare)),
})

/** JSON that the server itself makes, such as a part of a record. */
export const json =
  <Value extends object>() =>
  <const W extends Words<Value>>(words: W): W & Kind<Value> => ({
    ...words,
    column: 'json',
    request: {},
    answer: { type: 'object', additionalProperties: true },
  })
