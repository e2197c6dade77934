import { createHmac, timingSafeEqual } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { HlsPart } from '../../media/channel.ts'
import type { SessionRecord } from '../../storage/records.ts'
import { MEDIA_PATH } from '../media-links.ts'
import { LivePlaylist } from './live-playlist.ts'

/** How long the end of a session can still be watched: players are some seconds behind. */
const KEPT_AFTER_END_MS = 60_000

/** Fields of a session that decide whether it has a link. */
type BroadcastSession = Pick<SessionRecord, 'id' | 'project_id' | 'status' | 'enable_hls'>

/** The sessions of this server that are watched over HLS: their playlists, folders and links. */
export interface Broadcasts {
  /** Absolute path of the folder with a session's segments. */
  folder(sessionId: string): string
  /** The worker has made a part. */
  add(sessionId: string, part: HlsPart): void
  /** The session is over. Its segments go a minute later. */
  end(sessionId: string): void
  /** Undefined for a session that is not here, or has nothing to watch yet. */
  playlist(sessionId: string): LivePlaylist | undefined
  /**
   * The link to the playlist. Anybody with the link can watch while the session lasts.
   * @returns path on the server's own origin; null for a session without HLS
   */
  link(session: BroadcastSession): string | null
  /** Whether a signature came from {@link link}. */
  isGood(projectId: string, sessionId: string, signature: string): boolean
}

export interface BroadcastsOptions {
  /** Absolute path of a folder that is empty at the start, and that media workers may write into. */
  folder: string
  /** Key that signs the links. */
  key: Uint8Array
  clock: Clock
  log: Logger
}

export function createBroadcasts({ folder, key, clock, log }: BroadcastsOptions): Broadcasts {
  const playlists = new Map<string, LivePlaylist>()
  const folderOf = (sessionId: string) => join(folder, `${sessionId}.hls`)
  const sign = (projectId: string, sessionId: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['hls', projectId, sessionId]))
      .digest()

  return {
    folder: folderOf,
    add(sessionId, part) {
      const playlist = playlists.get(sessionId) ?? new LivePlaylist()
      playlists.set(sessionId, playlist)
      playlist.add(part)
    },
    end(sessionId) {
      playlists.get(sessionId)?.end()
      clock.after(KEPT_AFTER_END_MS, () => {
        playlists.delete(sessionId)
        rm(folderOf(sessionId), { recursive: true, force: true }).catch((error: unknown) =>
          log.warn({ err: error, sessionId }, 'segments of a session could not be removed'),
        )
      })
    },
    playlist: (sessionId) => playlists.get(sessionId),
    link({ id, project_id, status, enable_hls }) {
      if (!enable_hls || status !== 'in-progress') return null
      return `${MEDIA_PATH}/${project_id}/hls/${id}/${sign(project_id, id).toString('base64url')}/index.m3u8`
    },
    isGood(projectId, sessionId, signature) {
      const given = Buffer.from(signature, 'base64url')
      const expected = sign(projectId, sessionId)
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}
