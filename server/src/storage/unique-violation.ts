import { UniqueViolation } from './storage.ts'

/** Error codes of SQLite and PostgreSQL for a row whose unique key already exists. */
const CODES = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505'])

/**
 * Waits for a write.
 * @param message message of the error if a row with the same unique key exists
 * @throws UniqueViolation
 */
export async function refusingDuplicates<T>(write: Promise<T>, message: string): Promise<T> {
  try {
    return await write
  } catch (error) {
    const isDuplicate = error instanceof Error && 'code' in error && CODES.has(String(error.code))
    throw isDuplicate ? new UniqueViolation(message, { cause: error }) : error
  }
}
