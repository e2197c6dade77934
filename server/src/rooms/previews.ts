import { createHmac, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import type { SessionRecord } from '../storage/records.ts'
import { MEDIA_PATH } from './media-links.ts'

/** Fields of a session that decide whether it has a preview. */
type PreviewedSession = Pick<SessionRecord, 'id' | 'project_id' | 'status' | 'enable_room_previews'>

/** Preview videos of running sessions: their files and links. */
export interface Previews {
  /** Absolute path of the folder with the files. */
  readonly folder: string
  /** Name of a session's file in that folder. Absent until the first clip is complete. */
  fileName(sessionId: string): string
  /** Absolute path of a session's file. */
  file(sessionId: string): string
  /**
   * Makes a link to a preview. Anybody with the link can use it while the session lasts. After that it is invalid.
   * @returns path and query on the server's own origin; null for a session that has no preview
   */
  link(session: PreviewedSession): string | null
  /** Whether a signature came from {@link link}. */
  isGood(projectId: string, sessionId: string, signature: string): boolean
}

export interface PreviewsOptions {
  /** Absolute path. */
  folder: string
  /** Key that signs the links. */
  key: Uint8Array
}

/** Whether the session has a preview now. */
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
