/** One attempt in the log of a delivery. Times are Unix milliseconds. */
export interface LoggedAttempt {
  attemptedAt: number
  durationMs: number
  responseStatus: number | null
  /** Beginning of the answer; null if the message was taken. */
  responseBody: string | null
  error: string | null
  nextAt: number | null
}

/** Writes an attempt as one line of the log. */
export const logEntry = (attempt: LoggedAttempt): string => JSON.stringify(attempt)

/** Reads a log: one attempt a line, oldest first. */
export const readLog = (log: string): LoggedAttempt[] =>
  log.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LoggedAttempt]))
