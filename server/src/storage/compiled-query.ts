import type { Compilable, InsertObject } from 'kysely'
import type { Database, Tables } from './tables.ts'

/** Runs a query with these parameters, on a database or in a transaction. */
export type Lookup<Parameters extends readonly unknown[], Row> = (
  db: Database,
  ...parameters: Parameters
) => Promise<Row[]>

/**
 * Runs SQL directly on the local SQLite database. Kysely's pipeline would take longer than the few queries that every
 * request makes.
 */
export interface DirectQueries {
  /** Returns the rows that a query by key finds. They may be shared: nobody changes them. */
  find(sql: string, parameters: readonly unknown[]): Promise<unknown[]>
  /** Runs a statement. Resolves once its changes are on disk. */
  write(sql: string, parameters: readonly unknown[]): Promise<unknown>
  /** A number that changes whenever any process has changed the database. */
  version(): number
}

/** Adapter of a database that has direct queries. */
export interface DirectQueriesAdapter {
  /** Undefined while the database is not open. */
  readonly directQueries: DirectQueries | undefined
}

/**
 * Direct queries of a database. Undefined if it has none, and in transactions, because a transaction sees data that
 * others do not.
 */
export function directQueriesOf(db: Database): DirectQueries | undefined {
  if (db.isTransaction) return undefined
  return (db.getExecutor().adapter as Partial<DirectQueriesAdapter>).directQueries
}

/**
 * Builds and compiles a query once, and then only fills in parameters. This applies to databases with direct queries.
 * @param build uses each parameter once, in their order, and no other parameters
 */
export function compiledQuery<Parameters extends readonly unknown[], Row>(
  build: (db: Database, ...parameters: Parameters) => Compilable<Row>,
): Lookup<Parameters, Row> {
  let sql: string | undefined

  function compile(db: Database, parameters: Parameters): string {
    const query = build(db, ...parameters).compile()
    const fits = parameters.every((parameter, index) => query.parameters[index] === parameter)
    if (!fits || query.parameters.length !== parameters.length) {
      throw new Error(`the parameters do not stand in the query in their order: ${query.sql}`)
    }
    return query.sql
  }

  return async (db, ...parameters) => {
    const directQueries = directQueriesOf(db)
    if (!directQueries) return (await db.executeQuery(build(db, ...parameters).compile())).rows
    sql ??= compile(db, parameters)
    return directQueries.find(sql, parameters) as Promise<Row[]>
  }
}

/** Inserts a row. Compiled once like a {@link compiledQuery}. Every row must have the same columns. */
export function compiledInsertion<Table extends keyof Tables>(
  table: Table,
): (db: Database, row: InsertObject<Tables, Table>) => Promise<void> {
  let sql: string | undefined
  let columns: readonly string[] = []

  return async (db, row) => {
    const insertion = () => db.insertInto(table).values(row)
    const directQueries = directQueriesOf(db)
    if (!directQueries) {
      await insertion().execute()
      return
    }
    if (sql === undefined) {
      columns = Object.keys(row)
      sql = insertion().compile().sql
    }
    const values = row as Record<string, unknown>
    if (Object.keys(row).length !== columns.length) throw new Error(`a row of ${table} has other columns`)
    await directQueries.write(
      sql,
      columns.map((column) => values[column]),
    )
  }
}
