import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'

/** Links to recorded media that anybody may follow who has them, until they expire. */
export interface MediaLinks {
  /**
   * @param ttlSeconds how long the link is good; 0 makes one that has expired already
   * @returns path and query on the server's own origin
   */
  link(projectId: string, recordingId: string, ttlSeconds: number): string
  /** Judges what came back in a link. */
  check(
    projectId: string,
    recordingId: string,
    expires: string,
    signature: string,
  ): 'good' | 'expired' | 'forged'
}

/** Path in front of all links. */
export const MEDIA_PATH = '/media'

/** A link that is good for longer than this is good for ever (the year 275760, where dates end). */
const LATEST_EXPIRY = 8.64e15

/** @param key signs the links; who has it can read every recording */
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
