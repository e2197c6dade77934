import { Refusal } from '../errors/refusal.ts'
import type { RoomRecord } from '../storage/records.ts'

/** Changes to a stored object. An absent field keeps its value, null resets it to its default. */
export type Changes<Options> = { [Field in keyof Options]?: Options[Field] | null }

/** Options of a new object without absent and null fields. Null means the default. */
export function withoutNulls<Options extends object>(options: Changes<Options>): Partial<Options> {
  const said = Object.entries(options).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(said) as Partial<Options>
}

/** The new values of the changed fields. */
export function resetNulls<Options extends object>(
  changes: Changes<Options>,
  defaults: Readonly<Record<string, unknown>>,
): Partial<Options> {
  const settled = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => [field, value === null ? defaults[field] : value])
  return Object.fromEntries(settled) as Partial<Options>
}

/**
 * Refuses a time window that ends before it begins, because nobody could ever join in it.
 * @throws Refusal `invalid_join_until_date`
 */
export function checkWindow({ join_from, join_until }: Pick<RoomRecord, 'join_from' | 'join_until'>): void {
  if (join_from === null || join_until === null || join_until >= join_from) return
  throw new Refusal('invalid_join_until_date', { attribute: 'join_until' })
}

/**
 * Checks that a request does not change the name. Clients may send back the name they received.
 * @throws Refusal `invalid_parameter` if the name differs from the current one
 */
export function checkSameName(sent: string | undefined, { name, conference }: RoomRecord): void {
  if (sent === undefined || sent === name) return
  const message = `The name of a ${conference ? 'conference' : 'room'} cannot be changed.`
  throw new Refusal('invalid_parameter', { attribute: 'name', message })
}

/** The project has no object with this id. */
export const unrecognized = () => new Refusal('provided_id_is_unrecognized', { attribute: 'id' })

/** Another room or conference of the project has this name. */
export const nameTaken = () => new Refusal('not_unique_within_project', { attribute: 'name' })
