import { UniqueViolation } from './storage.ts'

/** What SQLite and PostgreSQL call it when a row with the same unique key is there already. */
const CODES = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505'])

/**
 * Waits for a write.
 * @param message what to say when it met a row with the same unique key
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
