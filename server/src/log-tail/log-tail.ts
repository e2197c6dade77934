import { TailSecrets } from './tail-secrets.ts'

/** Lines that are kept. */
export const LINES_KEPT = 1000
/** Characters of a line that are kept. The whole line is on the standard output. */
export const LINE_MAX_LENGTH = 4000

/** A line of the log. */
export interface LogLine {
  /** Its place, from 1. */
  number: number
  /** As the log writes it: JSON, without secrets, and cut if it is long. */
  json: string
}

/** The last lines of the log, in memory. The log writes to it as to a file. */
export class LogTail {
  readonly #lines: LogLine[] = []
  readonly #secrets: TailSecrets
  #count = 0
  #onLine: (line: LogLine) => void = () => {}

  /** @param secrets texts that must never be shown, such as the API token of the configuration */
  constructor(secrets: readonly string[]) {
    this.#secrets = new TailSecrets(secrets)
  }

  /** Takes a line. It never throws: nobody could log that. */
  write(line: string): void {
    const json = this.#secrets.cutFrom(line.trimEnd()).slice(0, LINE_MAX_LENGTH)
    const kept = { number: ++this.#count, json }
    this.#lines[this.#count % LINES_KEPT] = kept
    this.#onLine(kept)
  }

  /** The lines that are kept, newest first. */
  lines(): LogLine[] {
    const kept: LogLine[] = []
    for (let number = this.#count; number > Math.max(0, this.#count - LINES_KEPT); number--) {
      const line = this.#lines[number % LINES_KEPT]
      if (line) kept.push(line)
    }
    return kept
  }

  /** Calls a function with each line from now on, in place of the one before. */
  follow(onLine: (line: LogLine) => void): void {
    this.#onLine = onLine
  }
}
