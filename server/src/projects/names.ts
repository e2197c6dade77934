import { Refusal } from '../errors/refusal.ts'

/** Longest name, in characters. */
const LONGEST = 200

/**
 * Checks the name of a project or a token.
 * @throws Refusal `invalid_parameter` when the name is blank, has control characters, or is too long
 */
export function checkName(name: string): void {
  const isReadable = name.trim() !== '' && !/\p{Cc}/u.test(name)
  if (isReadable && [...name].length <= LONGEST) return
  const message = `must have 1 to ${LONGEST} characters that can be seen, on one line`
  throw new Refusal('invalid_parameter', { attribute: 'name', message })
}
