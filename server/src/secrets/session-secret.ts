import { createHash, randomBytes } from 'node:crypto'

/** The secret in the cookie of a session, or in a one-time link: 256 random bits. */
export const newSessionSecret = (): string => randomBytes(32).toString('base64url')

/** Whether a text has the form of {@link newSessionSecret}. */
export const isSessionSecret = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/** The stored form. A plain hash is enough, because nobody chooses these secrets. They are found by it. */
export const hashSessionSecret = (secret: string): string => sha256(`session:${secret}`, 'hex')

/**
 * What a page sends beside the cookie with every change. Pages of other origins cannot know it: it follows from the
 * cookie's secret, which no script reads, and only answers to the own origin tell it.
 */
export const csrfTokenOf = (secret: string): string => sha256(`csrf:${secret}`, 'base64url')

const sha256 = (text: string, encoding: 'hex' | 'base64url') =>
  createHash('sha256').update(text, 'utf8').digest(encoding)
