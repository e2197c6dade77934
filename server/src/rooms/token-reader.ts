import type { Clock } from '../clock.ts'
import { CONFERENCE_TOKEN_PREFIX } from '../secrets/conference-token-secret.ts'
import type { ConferenceTokens } from './conference-tokens.ts'
import { type RoomTokenClaims, verifyRoomToken } from './room-token.ts'

/** What a valid token says. */
export interface ReadToken {
  claims: RoomTokenClaims
  /** Somebody may still be in a room by it. */
  isExpired: boolean
}

/** Reads the tokens that let into rooms, of both kinds. */
export interface TokenReader {
  /** @returns undefined for what is no such token, or not one any more. Whether a room token was revoked is not looked up. */
  read(token: string): Promise<ReadToken | undefined>
}

/** @param options.key verifies room tokens */
export function createTokenReader(options: {
  conferenceTokens: Pick<ConferenceTokens, 'redeem'>
  clock: Clock
  key: Uint8Array
}): TokenReader {
  const { conferenceTokens, clock, key } = options
  return {
    async read(token) {
      if (token.startsWith(CONFERENCE_TOKEN_PREFIX)) {
        const claims = await conferenceTokens.redeem(token)
        return claims && { claims, isExpired: false }
      }
      const verified = await verifyRoomToken(token, key, clock.now())
      return 'claims' in verified ? { claims: verified.claims, isExpired: !verified.ok } : undefined
    },
  }
}
