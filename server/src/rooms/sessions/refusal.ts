/** Why a join or a request was refused. The API layer translates it to a code of its own. */
export type RefusalReason =
  | 'invalid'
  | 'forbidden'
  | 'not_found'
  | 'room_missing'
  | 'too_early'
  | 'too_late'
  | 'wrong_state'
  | 'locked'
  | 'full'
  | 'ended'
  | 'media'
  | 'unavailable'
  | 'no_space'

/** A refusal. Its message is written for the caller: it says what is wrong and what to do. */
export class SessionRefusal extends Error {
  override readonly name = 'SessionRefusal'
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
