import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { ListCursor } from '../../services.ts'

/** A page of a list, as its token stores it. */
export interface PageToken {
  /** Number of the page, counted from the first. */
  number: number
  size: number
  /** Query parameters of the list as the caller wrote them, without those of paging. */
  parameters: Readonly<Record<string, string>>
  cursor: ListCursor
}

const PREFIX = 'PA'
const SIGNATURE_BYTES = 16

/**
 * Writes a token that only this server can create, and that is valid only for one list of one project.
 * @param list text that identifies the list, such as its project and path
 */
export function writePageToken(key: KeyObject, list: string, page: PageToken): string {
  const { number, size, parameters, cursor } = page
  const place = [cursor.at, cursor.id, cursor.direction === 'before' ? 1 : 0, cursor.inclusive ? 1 : 0]
  const payload = Buffer.from(JSON.stringify([number, size, ...place, parameters]))
  return PREFIX + Buffer.concat([sign(key, list, payload), payload]).toString('base64url')
}

/** @returns undefined for anything that {@link writePageToken} did not write with this key for this list */
export function readPageToken(key: KeyObject, list: string, token: string): PageToken | undefined {
  if (!token.startsWith(PREFIX)) return undefined
  const encoded = token.slice(PREFIX.length)
  const bytes = Buffer.from(encoded, 'base64url')
  // Decoding is lenient, so only the spelling that this server writes is accepted.
  if (bytes.length <= SIGNATURE_BYTES || bytes.toString('base64url') !== encoded) return undefined
  const payload = bytes.subarray(SIGNATURE_BYTES)
  if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), sign(key, list, payload))) return undefined
  const [number, size, at, id, before, inclusive, parameters] = JSON.parse(payload.toString('utf8'))
  const direction = before === 1 ? 'before' : 'after'
  return {
    number,
    size,
    parameters,
    cursor: { at, id, direction, ...(inclusive === 1 && { inclusive: true }) },
  }
}

function sign(key: KeyObject, list: string, payload: Buffer): Buffer {
  // The length separates the two texts, whatever they contain.
  const hmac = createHmac('sha256', key)
    .update(`${Buffer.byteLength(list)}:${list}`)
    .update(payload)
  return hmac.digest().subarray(0, SIGNATURE_BYTES)
}
