import type { Readable } from 'node:stream'

/** Which session, and what a link names of it. */
export interface WatchedSession {
  projectId: string
  sessionId: string
}

/** A playlist is to have that segment, with all of it or up to that part. */
export interface WantedEnd {
  segment: number
  part: number | null
}

/** What is answered to a request for a playlist. */
export type PlaylistAnswer =
  | { text: string }
  /** The session was interrupted, and the room goes on in another one: path of its playlist. */
  | { goesOnAt: string }

/** A segment, a part, or the beginning of all segments. */
export interface HlsMedia {
  /** Bytes. */
  length: number
  content: Readable
}

/** What those who watch over HLS ask for. The caller has checked the link. */
export interface Watching {
  /**
   * Waits until the playlist has what is wanted, 12 s at most.
   * @param wanted null for the playlist as it is now
   * @param isGone whether nobody waits any more
   * @throws Refusal `file_not_found`, `invalid_parameter` for what is too far ahead, `unavailable` when nothing came in
   * time, or nobody can be asked
   */
  playlist(session: WatchedSession, wanted: WantedEnd | null, isGone: () => boolean): Promise<PlaylistAnswer>
  /**
   * Waits for the part that comes next.
   * @param file its name in the playlist
   * @throws Refusal `file_not_found`, `unavailable`
   */
  media(session: WatchedSession, file: string, isGone: () => boolean): Promise<HlsMedia>
}
