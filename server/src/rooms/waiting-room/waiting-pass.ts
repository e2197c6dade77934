import { createHmac, timingSafeEqual } from 'node:crypto'
import type { RoomTokenGrant } from '../room-token.ts'
import { tokenKey } from '../token-key.ts'

/** How long somebody who was let in may come back without knocking again, in milliseconds. Meetings are not longer. */
const PASS_LIFETIME_MS = 12 * 60 * 60 * 1000

/** Whoever has a pass: what their token says. */
export type PassHolder = Pick<RoomTokenGrant, 'id' | 'project_id' | 'room_name' | 'conference_token_hash'>

/**
 * Makes the pass of somebody who was let in: its end and a signature, for this token and this room. No server stores it, so
 * it outlives a restart.
 * @param key signs room tokens too
 */
export function newPass(holder: PassHolder, key: Uint8Array, now: number): string {
  const end = (now + PASS_LIFETIME_MS).toString(36)
  // Not a dot: a token with dots in it claims to be a JWT.
  return `${end}:${signature(holder, end, key)}`
}

/** Whether a pass lets in the holder of this token. */
export function isGoodPass(pass: string, holder: PassHolder, key: Uint8Array, now: number): boolean {
  const [end = '', signed = ''] = pass.split(':')
  const [given, expected] = [Buffer.from(signed), Buffer.from(signature(holder, end, key))]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
  return Number.parseInt(end, 36) > now
}

function signature(holder: PassHolder, end: string, key: Uint8Array): string {
  const text = JSON.stringify(['waiting pass', holder.project_id, holder.room_name, tokenKey(holder), end])
  return createHmac('sha256', key).update(text).digest('base64url')
}
