import { type Static, type TSchema, type TSchemaOptions, Type } from 'typebox'

/**
 * Building blocks of the schemas of all resources. A schema is plain JSON Schema (draft 2020-12). It validates
 * requests, serialises answers, gives the TypeScript type, and describes the interface.
 */

/**
 * Text without the two things that no database can store: NUL and half of a surrogate pair. The pattern does without
 * `\p{…}`, which several generators of clients do not understand. What it cannot say is a keyword of its own.
 */
const STORABLE_TEXT = { pattern: '^[^\\x00]*$', 'x-well-formed': true }

interface Described {
  description: string
  /** Examples of the value, for the API document. */
  examples?: readonly unknown[]
  /** Name of the schema in the API document, which defines it once and refers to it. */
  title?: string
}

/** A string whose length counts characters (code points), not UTF-16 units. */
export const Text = (options: Described & { maxLength: number; minLength?: number }) =>
  Type.String({ ...STORABLE_TEXT, ...options })

export const NAME_PATTERN = '^[A-Za-z0-9_-]+$'

/** Name of a room or conference, unique within its project. */
export const Name = (options: Described) => Type.String({ pattern: NAME_PATTERN, maxLength: 100, ...options })

/** Id of a resource, as a UUID of any version. */
export const Uuid = (options: Described) =>
  Type.String({ format: 'uuid', examples: ['9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11'], ...options })

/** A date and time in an answer: UTC, ISO 8601. */
export const Timestamp = (options: Described) =>
  Type.String({ format: 'date-time', examples: ['2030-01-31T09:30:00Z'], ...options })

/** A date and time in a request: RFC 3339, or a date alone, which means midnight in UTC. */
export const Moment = (options: Described) =>
  Type.String({ format: 'date-or-date-time', examples: ['2030-01-31T09:30:00Z', '2030-01-31'], ...options })

/** A point in time in a query: like {@link Moment}, or whole seconds since 1970. */
export const MomentOrTimestamp = (options: Described) =>
  Type.String({
    format: 'date-or-date-time-or-timestamp',
    examples: ['2030-01-31T09:30:00Z', '1896082200'],
    ...options,
  })

export const COLOR_PATTERN = '^#[0-9a-fA-F]{6}$'

/** A colour, as `#RRGGBB`. */
export const Color = (options: Described & { default: string }) =>
  Type.String({ pattern: COLOR_PATTERN, ...options })

/** One of a few strings. */
export const OneOf = <const Value extends string>(
  values: readonly Value[],
  options: Described & TSchemaOptions,
) => Type.Unsafe<Value>({ type: 'string', enum: [...values], ...options })

/** Maximum number of characters (code points) in the JSON of a meta. */
export const META_LIMIT = 2000

/** A JSON object that the caller defines, limited in characters of its JSON. */
export const Meta = (options: Described) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    'x-max-serialized-length': META_LIMIT,
    examples: [{ customer: 42 }],
    ...options,
  })

/** The same schema, or null. It is one schema with two types, so that a wrong value causes one error and not two. */
export function Nullable<T extends TSchema>(schema: T) {
  const plain = schema as unknown as { type: string; enum?: readonly unknown[] }
  return Type.Unsafe<Static<T> | null>({
    ...plain,
    type: [plain.type, 'null'],
    ...(plain.enum && { enum: [...plain.enum, null] }),
  })
}

/** An optional field of a request. Null means the same as absent. */
export const Optional = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

/** The object of an answer. Every field is present. */
export const Answer = <Fields extends Record<string, TSchema>>(fields: Fields, options: Described) =>
  Type.Object(fields, { additionalProperties: false, ...options })

/** Path parameter of resources that are found by their id alone. */
export const IdParams = Type.Object({ id: Uuid({ description: 'Id of the resource.' }) })

/** An answer without a body. */
export const NoContent = Type.Null({ description: 'It is done. There is no body.' })
