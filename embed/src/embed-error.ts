import type { EmbedErrorCode } from './protocol.ts'

/** A command that was not carried out. */
export class EmbedError extends Error {
  override readonly name = 'EmbedError'
  readonly code: EmbedErrorCode

  /** @param message says what to do */
  constructor(code: EmbedErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
