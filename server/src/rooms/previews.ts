import { createHmac, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import type { SessionRecord } from '../storage/records.ts'
import { MEDIA_PATH } from './media-links.ts'

/** What of a session decides whether it has a preview. */
type PreviewedSession = Pick<SessionRecord, 'id' | 'project_id' | 'status' | 'enable_room_previews'>

/** Preview videos of running sessions: where they lie, and the links that lead to them. */
export interface Previews {
  /** Absolute path of the folder that the files lie in. */
  readonly folder: string
  /** Name of a session's file in that folder. Absent until the first clip is complete. */
  fileName(sessionId: string): string
  /** Absolute path of the same. */
  file(sessionId: string): string
  /**
   * Anybody who has the link may follow it while the session lasts; after that it leads nowhere.
   * @returns path and query on the server's own origin; null for a session that has no preview
   */
  link(session: PreviewedSession): string | null
  /** Whether a signature came from {@link link}. */
  isGood(projectId: string, sessionId: string, signature: string): boolean
}

export interface PreviewsOptions {
  /** Absolute path. */
  folder: string
  /** Signs the links. */
  key: Uint8Array
}

/** Whether there is something to see now. */
export const hasPreview = ({ status, enable_room_previews }: PreviewedSession): boolean =>
  enable_room_previews && status === 'in-progress'

export function createPreviews({ folder, key }: PreviewsOptions): Previews {
  const sign = (projectId: string, sessionId: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['preview', projectId, sessionId]))
      .digest()
  const fileName = (sessionId: string) => `${sessionId}.mp4`

  return {
    folder,
    fileName,
    file: (sessionId) => join(folder, fileName(sessionId)),
    link(session) {
      if (!hasPreview(session)) return null
      const { project_id, id } = session
      const signature = sign(project_id, id).toString('base64url')
      return `${MEDIA_PATH}/${project_id}/previews/${fileName(id)}?signature=${signature}`
    },
    isGood(projectId, sessionId, signature) {
      const given = Buffer.from(signature, 'base64url')
      const expected = sign(projectId, sessionId)
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}
