/** The content of a room token that its holder can read. */
export interface RoomTokenContent {
  roomName: string
  /** The room's title, if the inviter set it. */
  roomTitle: string | null
  /** Null if the server picks a name at each join. */
  userName: string | null
  /** Whether it admits to the audience only. */
  onlyWatches: boolean
}

/** After a token, it asks the server to let its holder only watch. The server knows it by the same text. */
const AUDIENCE_WISH = '~audience'

/** The token of somebody who only wants to watch. */
export const asAudience = (token: string): string => `${token}${AUDIENCE_WISH}`
/** Whether the holder of a token only wants to watch. */
export const isAudienceToken = (token: string): boolean => token.endsWith(AUDIENCE_WISH)

/**
 * Reads a room token (a JWT, RFC 7519) without checking its signature: the server does that.
 * @returns null if it is no room token
 */
export function readRoomToken(token: string): RoomTokenContent | null {
  try {
    const payload = token.split('.')[1] ?? ''
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
      character.charCodeAt(0),
    )
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as Record<'r' | 'u' | 'rdn' | 'ja', unknown>
    if (typeof claims.r !== 'string' || claims.r === '') return null
    return {
      roomName: claims.r,
      roomTitle: textOrNull(claims.rdn),
      userName: textOrNull(claims.u),
      onlyWatches: claims.ja === 'audience' || isAudienceToken(token),
    }
  } catch {
    return null
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
