import type { Compilable, CompiledQuery } from 'kysely'
import type { Database } from './tables.ts'

/** Runs a query with these parameters, on a database or in a transaction. */
export type Lookup<Parameters extends readonly unknown[], Row> = (
  db: Database,
  ...parameters: Parameters
) => Promise<Row[]>

/**
 * A query that is built and compiled once for each dialect, and from then on only filled in. For the few that every
 * request needs: to build and compile them takes as long as to run them.
 * @param build puts each parameter into the query once, in the order in which they come, and nothing else
 */
export function compiledQuery<Parameters extends readonly unknown[], Row>(
  build: (db: Database, ...parameters: Parameters) => Compilable<Row>,
): Lookup<Parameters, Row> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>()
  return async (db, ...parameters) => {
    // Databases and transactions of one dialect share this object.
    const dialect = db.getExecutor().adapter
    let query = compiled.get(dialect)
    if (!query) {
      query = build(db, ...parameters).compile()
      const fits = parameters.every((parameter, index) => query?.parameters[index] === parameter)
      if (!fits || query.parameters.length !== parameters.length) {
        throw new Error(`the parameters do not stand in the query in their order: ${query.sql}`)
      }
      compiled.set(dialect, query)
    }
    return (await db.executeQuery<Row>({ ...query, parameters })).rows
  }
}
