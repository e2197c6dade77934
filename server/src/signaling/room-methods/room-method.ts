import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Refusal } from '../../errors/refusal.ts'
import type { EventName } from '../../resources/event-names.ts'
import type { LiveSession } from '../../rooms/sessions/live-session.ts'
import type { Member } from '../../rooms/sessions/member.ts'
import type { SessionEvent } from '../../rooms/sessions/participant.ts'

/** Schema of `member_id`. */
export const MemberId = Type.String({ minLength: 1, maxLength: 100 })

/** Input of a room method. */
export interface RoomCall<Params> {
  session: LiveSession
  /** The member that calls the method. Null for the project itself, which acts through a back end. */
  actor: Member | null
  params: Params
  /**
   * Answers with code 200 and these fields. The caller gets the answer before the events that the call causes. If the
   * method ends without a call of `reply`, the answer has no fields.
   */
  reply: (fields?: object) => void
  /** The member that `member_id` names. @throws Refusal `provided_id_is_unrecognized` */
  target: () => Member
}

/** Name on the wire of an event about a session. `member_updated` is `video.member.updated`. */
type WireEventName = {
  [Type in SessionEvent['type']]: Type extends 'audience_count'
    ? 'video.room.audience_count'
    : Type extends `${infer Subject}_${infer Change}`
      ? `video.${Subject}.${Change}`
      : never
}[SessionEvent['type']]

/** What docs/methods.md says about a method besides its parameters and its permission. */
export interface MethodFacts {
  /** Events that its effect sends to the clients of the session. */
  events: readonly WireEventName[]
  /** Events that its effect adds to the session's history. */
  history?: readonly EventName[]
  /** The first version of Parley that serves the method. */
  since: `${number}.${number}.${number}`
}

/** A method of docs/protocol.md, section 5. Its name determines the permission that it needs (rooms/permissions). */
export interface RoomMethod {
  /** Schema of the parameters. */
  readonly schema: TSchema
  readonly facts: MethodFacts
  /** @returns the error in the parameters, or null */
  complaint(params: unknown): string | null
  handle(call: RoomCall<never>): Promise<void> | void
}

/** Binds a handler to the schema of its parameters and to what the documents say about it. */
export function roomMethod<Schema extends TSchema>(
  schema: Schema,
  handle: (call: RoomCall<Static<Schema>>) => Promise<void> | void,
  facts: MethodFacts,
): RoomMethod {
  const validator = Compile(schema)
  return {
    schema,
    facts,
    complaint(params) {
      if (validator.Check(params)) return null
      const [error] = validator.Errors(params)
      const field = error?.instancePath.slice(1) || 'params'
      return `Invalid params: ${field} ${error?.message ?? 'is invalid'}`
    },
    handle,
  }
}

/** @throws Refusal `provided_id_is_unrecognized` */
export function memberOf(session: LiveSession, id: unknown): Member {
  const member = typeof id === 'string' ? session.member(id) : undefined
  if (!member) throw new Refusal('provided_id_is_unrecognized', 'There is no such member in the session.')
  return member
}
