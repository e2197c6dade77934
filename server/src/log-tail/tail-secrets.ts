/** Stands for a secret. */
const HIDDEN = '***'
/** A shorter text would be found in places that have nothing to do with it. */
const SECRET_MIN_LENGTH = 6

/** What looks like a secret, whoever wrote it into a message. */
const SHAPES: readonly [RegExp, string][] = [
  // User and password in an address.
  [/(\w:\/\/)[^\s/@"]*:[^\s/@"]*@/g, `$1${HIDDEN}@`],
  // JSON Web Tokens, such as room tokens.
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]+/g, HIDDEN],
  // Tokens of conferences, and credentials in headers.
  [/\bvpt_\w+/g, HIDDEN],
  [/\b(Basic|Bearer) [\w.~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  // The last part of the address of a stream is its key.
  [/(\brtmps?:\/\/[^\s"]*\/)[^\s"/]+/gi, `$1${HIDDEN}`],
]

/** Cuts secrets from lines of the log. The log itself redacts fields by their names; this is for those within texts. */
export class TailSecrets {
  readonly #known: readonly string[]

  /** @param secrets texts that are known to be secret */
  constructor(secrets: readonly string[]) {
    // The lines are JSON, in which some characters are escaped.
    const spellings = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    this.#known = [...new Set(spellings)].filter(({ length }) => length >= SECRET_MIN_LENGTH)
  }

  cutFrom(line: string): string {
    const open = this.#known.reduce((text, secret) => text.replaceAll(secret, HIDDEN), line)
    return SHAPES.reduce((text, [shape, shown]) => text.replace(shape, shown), open)
  }
}
