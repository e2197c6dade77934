import type { RoomTokenClaims } from './room-token.ts'

/** What a client presents: a token, and wishes behind it. An addition of Parley (docs/protocol.md, section 2.1). */
export interface PresentedToken {
  token: string
  /** Joins as audience whatever the token allows. */
  watches: boolean
  /** What somebody got who was let in from the waiting room. */
  pass: string | null
}

/** Tokens do not contain it. */
const BEFORE_WISH = '~'
const AUDIENCE = 'audience'
const PASS = 'pass:'

/** Takes the wishes off a token that a client presents. Unknown ones count for nothing. */
export function readPresented(presented: string): PresentedToken {
  const [token = '', ...wishes] = presented.split(BEFORE_WISH)
  const pass = wishes.find((wish) => wish.startsWith(PASS))
  return { token, watches: wishes.includes(AUDIENCE), pass: pass?.slice(PASS.length) ?? null }
}

/** The same claims for somebody who only wants to watch: an audience, which has no permissions. */
export function asAudience(claims: RoomTokenClaims): RoomTokenClaims {
  return { ...claims, join_as: 'audience', permissions: [] }
}
