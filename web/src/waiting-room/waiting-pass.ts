/** Before the pass in a token. The server knows it by the same text. */
const PASS = '~pass:'

/** A token with what its holder got who was let in. */
export const withPass = (token: string, pass: string): string => `${token}${PASS}${pass}`

/** A token as it was before its holder was let in. */
export const withoutPass = (token: string): string => token.split(PASS)[0] ?? token

/** Whether a join was refused because a moderator has to let the person in first. */
export function isWaitingRoom(error: unknown): boolean {
  const { message } = (error ?? {}) as { message?: unknown }
  return typeof message === 'string' && /until a moderator lets you in/i.test(message)
}
