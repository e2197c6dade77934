/** An error that an operator can fix. Its message says how, and is shown without a stack trace. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}
