/** Identifies a token among all tokens of its project. It is no secret and cannot be used to join. */
export type TokenKey = string

const ROOM_TOKEN = 'room:'
const CONFERENCE_TOKEN = 'conference:'

/** @param id the token's own id, its `jti` */
export const roomTokenKey = (id: string): TokenKey => `${ROOM_TOKEN}${id}`

/** @param hash hash of the token */
export const conferenceTokenKey = (hash: string): TokenKey => `${CONFERENCE_TOKEN}${hash}`

/** The key of the token in a join. */
export const tokenKey = (grant: { id: string; conference_token_hash?: string }): TokenKey =>
  grant.conference_token_hash === undefined
    ? roomTokenKey(grant.id)
    : conferenceTokenKey(grant.conference_token_hash)

/** The id of a room token. Null for a conference token. */
export const roomTokenIdOf = (key: TokenKey): string | null =>
  key.startsWith(ROOM_TOKEN) ? key.slice(ROOM_TOKEN.length) : null

/** Whether many people may join with this token. True for conference tokens. */
export const isMadeToBeShared = (key: TokenKey): boolean => key.startsWith(CONFERENCE_TOKEN)
