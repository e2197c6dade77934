/** Names a token among all tokens of its project. It holds no secret and lets nobody in. */
export type TokenKey = string

const ROOM_TOKEN = 'room:'
const CONFERENCE_TOKEN = 'conference:'

/** @param id the token's own, its `jti` */
export const roomTokenKey = (id: string): TokenKey => `${ROOM_TOKEN}${id}`

/** @param hash of the token */
export const conferenceTokenKey = (hash: string): TokenKey => `${CONFERENCE_TOKEN}${hash}`

/** The token that somebody comes with. */
export const tokenKey = (grant: { id: string; conference_token_hash?: string }): TokenKey =>
  grant.conference_token_hash === undefined
    ? roomTokenKey(grant.id)
    : conferenceTokenKey(grant.conference_token_hash)

/** Id of a room token; null for a conference token. */
export const roomTokenIdOf = (key: TokenKey): string | null =>
  key.startsWith(ROOM_TOKEN) ? key.slice(ROOM_TOKEN.length) : null

/** Whether many are meant to come with this token: those of conferences. */
export const isMadeToBeShared = (key: TokenKey): boolean => key.startsWith(CONFERENCE_TOKEN)
