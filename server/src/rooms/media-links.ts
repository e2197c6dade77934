import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'

/** Links to recorded media. Anybody who has a link can use it until it expires. */
export interface MediaLinks {
  /**
   * @param ttlSeconds how long the link is valid; 0 makes a link that has already expired
   * @returns path and query on the server's own origin
   */
  link(projectId: string, recordingId: string, ttlSeconds: number): string
  /** A link to the poster of a recording. It stays the same for hours, so that browsers keep the picture. */
  posterLink(projectId: string, recordingId: string): string
  /** Checks the parameters of a {@link posterLink}. */
  checkPoster(
    projectId: string,
    recordingId: string,
    expires: string,
    signature: string,
  ): 'good' | 'expired' | 'forged'
  /** Checks the parameters of a link. */
  check(
    projectId: string,
    recordingId: string,
    expires: string,
    signature: string,
  ): 'good' | 'expired' | 'forged'
}

/** First part of the path of all links. */
export const MEDIA_PATH = '/media'

/** The latest possible expiry (the year 275760, where dates end). A link with a longer lifetime never expires. */
const LATEST_EXPIRY = 8.64e15

/** A link to a poster is made anew after so long, and is valid for as long again. */
const POSTER_LINK_MS = 12 * 60 * 60 * 1000

/** @param key signs the links; anybody who has it can read every recording */
export function createMediaLinks(key: Uint8Array, clock: Clock): MediaLinks {
  /** @param parts what the link is for; links of different kinds have a different number of them */
  const sign = (...parts: string[]) => createHmac('sha256', key).update(JSON.stringify(parts)).digest()

  function judge(signature: string, expires: string, expected: Buffer) {
    const given = Buffer.from(signature, 'base64url')
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged'
    return clock.now() < Number(expires) ? 'good' : 'expired'
  }

  return {
    link(projectId, recordingId, ttlSeconds) {
      const expires = String(Math.min(clock.now() + ttlSeconds * 1000, LATEST_EXPIRY))
      const signature = sign(projectId, recordingId, expires).toString('base64url')
      return `${MEDIA_PATH}/${projectId}/recordings/${recordingId}.mp4?expires=${expires}&signature=${signature}`
    },
    check: (projectId, recordingId, expires, signature) =>
      judge(signature, expires, sign(projectId, recordingId, expires)),
    posterLink(projectId, recordingId) {
      const expires = String((Math.ceil(clock.now() / POSTER_LINK_MS) + 1) * POSTER_LINK_MS)
      const signature = sign('poster', projectId, recordingId, expires).toString('base64url')
      return `${MEDIA_PATH}/${projectId}/posters/${recordingId}.webp?expires=${expires}&signature=${signature}`
    },
    checkPoster: (projectId, recordingId, expires, signature) =>
      judge(signature, expires, sign('poster', projectId, recordingId, expires)),
  }
}
