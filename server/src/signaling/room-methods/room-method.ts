import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { LiveSession } from '../../rooms/sessions/live-session.ts'
import type { Member } from '../../rooms/sessions/member.ts'
import { SessionRefusal } from '../../rooms/sessions/refusal.ts'

/** What a room method works with. */
export interface RoomCall<Params> {
  session: LiveSession
  /** Who calls it. */
  actor: Member
  params: Params
  /**
   * Answers with code 200 and these fields; the caller is answered before it sees the events that the call causes. A method
   * that has not answered when it is done is answered without fields.
   */
  reply: (fields?: object) => void
  /** The member that `member_id` names. @throws SessionRefusal `not_found` */
  target: () => Member
}

/** A method of docs/protocol.md, section 5. The permission it needs is found by its name (rooms/permissions). */
export interface RoomMethod {
  /** Of its parameters. */
  readonly schema: TSchema
  /** @returns what is wrong with the parameters, or null */
  complaint(params: unknown): string | null
  handle(call: RoomCall<never>): Promise<void> | void
}

/** Binds a handler to the schema of its parameters. */
export function roomMethod<Schema extends TSchema>(
  schema: Schema,
  handle: (call: RoomCall<Static<Schema>>) => Promise<void> | void,
): RoomMethod {
  const validator = Compile(schema)
  return {
    schema,
    complaint(params) {
      if (validator.Check(params)) return null
      const [error] = validator.Errors(params)
      const field = error?.instancePath.slice(1) || 'params'
      return `Invalid params: ${field} ${error?.message ?? 'is invalid'}`
    },
    handle,
  }
}

/** @throws SessionRefusal `not_found` */
export function memberOf(session: LiveSession, id: unknown): Member {
  const member = typeof id === 'string' ? session.member(id) : undefined
  if (!member) throw new SessionRefusal('not_found', 'There is no such member in the session.')
  return member
}
