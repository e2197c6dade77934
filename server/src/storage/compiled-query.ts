import type { Compilable, InsertObject } from 'kysely'
import type { Database, Tables } from './tables.ts'

/** Runs a query with these parameters, on a database or in a transaction. */
export type Lookup<Parameters extends readonly unknown[], Row> = (
  db: Database,
  ...parameters: Parameters
) => Promise<Row[]>

/**
 * The short way into a database that lies on this machine: past all that a query passes elsewhere, which for the few that
 * every request needs takes longer than they do themselves.
 */
export interface DirectQueries {
  /** The rows that a query finds. */
  find(sql: string, parameters: readonly unknown[]): Promise<unknown[]>
  /** Resolves once a statement's changes are on disk. */
  write(sql: string, parameters: readonly unknown[]): Promise<unknown>
  /** Another number whenever anything has changed in the database, by whatever process. */
  version(): number
}

/** What the adapter of such a database has. */
export interface DirectQueriesAdapter {
  /** Undefined while the database is not open. */
  readonly directQueries: DirectQueries | undefined
}

/** The short way into a database; undefined where it has none, and in transactions, which see what others do not. */
export function directQueriesOf(db: Database): DirectQueries | undefined {
  if (db.isTransaction) return undefined
  return (db.getExecutor().adapter as Partial<DirectQueriesAdapter>).directQueries
}

/**
 * A query that is built and compiled once, and from then on only filled in, where there is a short way for it.
 * @param build puts each parameter into the query once, in the order in which they come, and nothing else
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

/** The insertion of a row, compiled once like a {@link compiledQuery}. Every row has the same columns. */
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
