import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new API token: `PT` and 48 hexadecimal digits, 192 random bits. */
export function newApiToken(): string {
  return `PT${randomBytes(24).toString('hex')}`
}

/** The stored form of an API token. A plain hash is enough: tokens are long and random, not chosen by people. */
export function hashApiToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex')
}

/** Compares two hashes of {@link hashApiToken} in constant time. */
export function sameHash(left: string, right: string): boolean {
  const a = Buffer.from(left, 'hex')
  const b = Buffer.from(right, 'hex')
  return a.length === b.length && timingSafeEqual(a, b)
}
