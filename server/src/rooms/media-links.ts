import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'

/** Links to recorded media. Anybody who has a link can use it until it expires. */
export interface MediaLinks {
  /**
   * @param ttlSeconds how long the link is valid; 0 makes a link that has already expired
   * @returns path and query on the server's own origin
   */
  link(projectId: string, recordingId: string, ttlSeconds: number): string
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

/** @param key signs the links; anybody who has it can read every recording */
export function createMediaLinks(key: Uint8Array, clock: Clock): MediaLinks {
  const sign = (projectId: string, recordingId: string, expires: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([projectId, recordingId, expires]))
      .digest()

  return {
    link(projectId, recordingId, ttlSeconds) {
      const expires = String(Math.min(clock.now() + ttlSeconds * 1000, LATEST_EXPIRY))
      const signature = sign(projectId, recordingId, expires).toString('base64url')
      return `${MEDIA_PATH}/${projectId}/recordings/${recordingId}.mp4?expires=${expires}&signature=${signature}`
    },
    check(projectId, recordingId, expires, signature) {
      const given = Buffer.from(signature, 'base64url')
      const expected = sign(projectId, recordingId, expires)
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged'
      return clock.now() < Number(expires) ? 'good' : 'expired'
    },
  }
}
