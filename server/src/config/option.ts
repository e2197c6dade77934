/** Invalid text of one option. The message completes "PARLEY_X must be …". */
export class BadValue extends Error {}

/** One option of the server, as the operator's reference shows it. */
export interface Option<T> {
  /** Name of the environment variable. */
  readonly env: string
  /** Allowed values, in words. */
  readonly type: string
  /** Value when the variable is absent or empty. Text in parentheses describes a default that is not a literal. */
  readonly default: string
  /** One line of documentation for the operator. */
  readonly doc: string
  /** The value is never shown. */
  readonly secret: boolean
  /** @throws BadValue */
  readonly parse: (text: string) => T
  readonly fallback: () => T
}

/** An option whose value may be shown. */
export function option<T>(
  env: string,
  type: string,
  fallback: { text: string; value: () => T },
  doc: string,
  parse: (text: string) => T,
): Option<T> {
  return { env, type, default: fallback.text, doc, secret: false, parse, fallback: fallback.value }
}

/** The same option with a value that is never shown. */
export const secret = <T>(open: Option<T>): Option<T> => ({ ...open, secret: true })

/** A default that can be written as it is. */
export const literal = <T>(text: string, value: T) => ({ text, value: () => value })
/** A default of null, described in words. */
export const absent = (text: string) => ({ text, value: () => null })
