/** What a room token says to its holder. */
export interface RoomTokenContent {
  roomName: string
  /** What the room is called, where the inviter said it. */
  roomTitle: string | null
  /** Null where the server picks one at each join. */
  userName: string | null
}

/**
 * Reads a room token (a JWT, RFC 7519) without checking its signature: that is the server's business.
 * @returns null for what is no room token
 */
export function readRoomToken(token: string): RoomTokenContent | null {
  try {
    const payload = token.split('.')[1] ?? ''
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
      character.charCodeAt(0),
    )
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as Record<'r' | 'u' | 'rdn', unknown>
    if (typeof claims.r !== 'string' || claims.r === '') return null
    return { roomName: claims.r, roomTitle: textOrNull(claims.rdn), userName: textOrNull(claims.u) }
  } catch {
    return null
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
