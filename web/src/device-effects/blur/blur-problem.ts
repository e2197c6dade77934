/** Why the background is not blurred: it did not start, or the machine is too slow. */
export class BlurProblem extends Error {
  override readonly name = 'BlurProblem'
  readonly kind: 'failed' | 'slow'

  constructor(kind: 'failed' | 'slow') {
    super(kind)
    this.kind = kind
  }
}
