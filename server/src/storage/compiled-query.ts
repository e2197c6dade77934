import type { Compilable, CompiledQuery } from 'kysely'
import type { Database } from './tables.ts'

/** Runs a query with these parameters, on a database or in a transaction. */
export type Lookup<Parameters extends readonly unknown[], Row> = (
  db: Database,
  ...parameters: Parameters
) => Promise<Row[]>

/** The short way into a database that has what is looked up by key at hand, past all that other queries have to pass. */
export interface Lookups {
  /** The rows that a query finds. */
  find(sql: string, parameters: readonly unknown[]): Promise<unknown[]>
  /** Another number whenever anything has changed in the database, by whatever process. */
  version(): number
}

/** What the adapter of such a database has. */
export interface LookupAdapter {
  /** Undefined while the database is not open. */
  readonly lookups: Lookups | undefined
}

/** The lookups of a database; undefined where it has none, and in transactions, which see what others do not. */
export function lookupsOf(db: Database): Lookups | undefined {
  if (db.isTransaction) return undefined
  return (db.getExecutor().adapter as Partial<LookupAdapter>).lookups
}

/**
 * A query that is built and compiled once for each dialect, and from then on only filled in. For the few that every
 * request needs: to build and compile them takes longer than to run them.
 * @param build puts each parameter into the query once, in the order in which they come, and nothing else
 */
export function compiledQuery<Parameters extends readonly unknown[], Row>(
  build: (db: Database, ...parameters: Parameters) => Compilable<Row>,
): Lookup<Parameters, Row> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>()

  function compile(db: Database, dialect: object, parameters: Parameters): CompiledQuery<Row> {
    const query = build(db, ...parameters).compile()
    const fits = parameters.every((parameter, index) => query.parameters[index] === parameter)
    if (!fits || query.parameters.length !== parameters.length) {
      throw new Error(`the parameters do not stand in the query in their order: ${query.sql}`)
    }
    compiled.set(dialect, query)
    return query
  }

  return async (db, ...parameters) => {
    // Databases and transactions of one dialect share this object.
    const dialect = db.getExecutor().adapter
    const query = compiled.get(dialect) ?? compile(db, dialect, parameters)
    const lookups = lookupsOf(db)
    if (lookups) return lookups.find(query.sql, parameters) as Promise<Row[]>
    return (await db.executeQuery<Row>({ ...query, parameters })).rows
  }
}
