import { createHash, randomBytes } from 'node:crypto'

/** What every conference token starts with; nothing else that lets into a room does. */
export const CONFERENCE_TOKEN_PREFIX = 'vpt_'

/** A new conference token: 192 random bits, in hexadecimal. */
export function newConferenceToken(): string {
  return CONFERENCE_TOKEN_PREFIX + randomBytes(24).toString('hex')
}

/**
 * By what a conference token is found. A plain hash is enough: tokens are long and random. Looking up a hash says nothing
 * about the token by the time it takes, since nobody can aim at a hash that resembles another.
 */
export function hashConferenceToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex')
}
