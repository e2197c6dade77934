export type ChatRefusalReason =
  /** The parameters are invalid. */
  | 'invalid'
  /** The token has expired. */
  | 'expired'
  /** The token does not permit it, or its bearer has left the conference. */
  | 'forbidden'
  /** There is no such member. */
  | 'not_found'
  /** The message or state is too large. */
  | 'too_large'

/** A refused request. The message is for the person in front of the page. */
export class ChatRefusal extends Error {
  override readonly name = 'ChatRefusal'
  readonly reason: ChatRefusalReason

  constructor(reason: ChatRefusalReason, message: string) {
    super(message)
    this.reason = reason
  }
}
