import { ParleyError } from '../errors/parley-error.ts'

/** In characters. */
const LONGEST = 200

/**
 * Checks what people call a project or a token.
 * @throws ParleyError `invalid_parameter` when there is nothing to read, or more than fits on a line
 */
export function checkName(name: string): void {
  const isReadable = name.trim() !== '' && !/\p{Cc}/u.test(name)
  if (isReadable && [...name].length <= LONGEST) return
  const message = `must have 1 to ${LONGEST} characters that can be seen, on one line`
  throw new ParleyError('invalid', { code: 'invalid_parameter', attribute: 'name', message })
}
