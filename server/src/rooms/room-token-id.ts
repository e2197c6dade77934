import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isUuid } from '../ids.ts'

/**
 * Ids of room tokens: UUIDs of version 8 (RFC 9562, section 5.8). An id says when its token expires and proves that
 * it was made for a project. So a token can be revoked by its id alone, without a table of all tokens ever made.
 *
 * Bytes 0 to 4: expiry in seconds since 1970. Bytes 5 to 8: proof, around the bits of version and variant. Bytes 9 to
 * 15: random.
 */
const EXPIRY_BYTES = 5
const PROOF_START = 5
const RANDOM_START = 9
const RANDOM_BYTES = 7
/** Bits of bytes 5 to 8 that belong to the proof. The others are version and variant. */
const PROOF_MASK = Buffer.from([0xff, 0x0f, 0xff, 0x3f])
const VERSION_AND_VARIANT = Buffer.from([0x00, 0x80, 0x00, 0x80])
const LATEST_SECONDS = 2 ** (8 * EXPIRY_BYTES) - 1

/**
 * Creates an id for a token of this project.
 * @param expiresAt Unix milliseconds, on a whole second
 * @param key key of the room tokens
 */
export function newRoomTokenId(projectId: string, expiresAt: number, key: Uint8Array): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.min(Math.max(0, Math.ceil(expiresAt / 1000)), LATEST_SECONDS), 0, EXPIRY_BYTES)
  randomBytes(RANDOM_BYTES).copy(bytes, RANDOM_START)
  proofOf(projectId, bytes, key).copy(bytes, PROOF_START)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/**
 * Reads from an id when its token expires, in Unix milliseconds.
 * @returns null for an id that was not made with this key for a token of this project
 */
export function expiryOfRoomTokenId(id: string, projectId: string, key: Uint8Array): number | null {
  if (!isUuid(id)) return null
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
  const isOurs = timingSafeEqual(
    proofOf(projectId, bytes, key),
    bytes.subarray(PROOF_START, PROOF_START + PROOF_MASK.length),
  )
  return isOurs ? bytes.readUIntBE(0, EXPIRY_BYTES) * 1000 : null
}

/** Computes bytes 5 to 8 of the id. */
function proofOf(projectId: string, id: Buffer, key: Uint8Array): Buffer {
  const mac = createHmac('sha256', key)
    .update(`room-token-id/${projectId}/`)
    .update(id.subarray(0, EXPIRY_BYTES))
    .update(id.subarray(RANDOM_START))
    .digest()
  return Buffer.from(PROOF_MASK.map((mask, at) => ((mac[at] ?? 0) & mask) | (VERSION_AND_VARIANT[at] ?? 0)))
}
