import { createHash, randomBytes } from 'node:crypto'

/** Prefix of every conference token. No other token that admits to a room has it. */
export const CONFERENCE_TOKEN_PREFIX = 'vpt_'

/** A new conference token: 192 random bits, in hexadecimal. */
export function newConferenceToken(): string {
  return CONFERENCE_TOKEN_PREFIX + randomBytes(24).toString('hex')
}

/**
 * Hash by which a conference token is found. A plain hash is enough, because tokens are long and random. The time of a
 * look-up by hash reveals nothing about the token, because nobody can choose a hash that resembles another.
 */
export function hashConferenceToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex')
}
