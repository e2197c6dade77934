import fastJsonStringify from 'fast-json-stringify'
import type { FastifyInstance } from 'fastify'

/** Writes a value as JSON. */
type Serializer = ReturnType<typeof fastJsonStringify>

/**
 * Writes answers by the schemas of their routes. The code for a schema is made when it is first used, and shared by its routes:
 * that of all schemas would take some megabytes, and a part of each start.
 */
export function useSerialization(app: FastifyInstance): void {
  const made = new WeakMap<object, Serializer>()
  const serializerOf = (schema: object): Serializer => {
    const serializer = made.get(schema) ?? fastJsonStringify(schema)
    made.set(schema, serializer)
    return serializer
  }
  app.setSerializerCompiler<object>(({ schema }) => {
    let serialize: Serializer | undefined
    return (value: unknown) => {
      serialize ??= serializerOf(schema)
      return serialize(value)
    }
  })
}
