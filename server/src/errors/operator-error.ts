/** Something that an operator can put right. Its message says what, and is shown without a stack. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}
