import { createHash, randomBytes } from 'node:crypto'
import { type Actor, recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import type { RecordingRecord, RecordingShareRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { MEDIA_PATH } from './media-links.ts'

/** Links that one recording has at most. */
const MOST_SHARES = 100
/** How long an expired link is remembered, so that whoever opens it learns that it expired. */
const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1000
/** 192 random bits, in hexadecimal. */
const SECRET = /^[0-9a-f]{48}$/

/** Path of all links. The secret is in the query, which no log has. */
export const SHARED_PATH = `${MEDIA_PATH}/shared/recording.mp4`

/** Links by which anybody plays a recording, until they expire or are revoked. */
export interface RecordingShares {
  /** Those that have not expired, oldest first. @throws Refusal `provided_id_is_unrecognized` */
  list(projectId: string, recordingId: string): Promise<RecordingShareRecord[]>
  /**
   * @returns the link: path and query on the server's own origin. It is available only now
   * @throws Refusal `provided_id_is_unrecognized`, `invalid_state` while there is nothing to play, or for too many
   */
  create(
    projectId: string,
    recordingId: string,
    lifetimeSeconds: number,
    actor: Actor,
  ): Promise<{ share: RecordingShareRecord; path: string }>
  /** The link stops working. @throws Refusal `provided_id_is_unrecognized` */
  revoke(projectId: string, recordingId: string, id: string, actor: Actor): Promise<void>
  /** @returns undefined for a secret that no link has */
  read(secret: string): Promise<RecordingShareRecord | undefined>
  /** Forgets links that expired long ago. */
  forgetExpired(): Promise<void>
}

export interface RecordingSharesOptions {
  storage: Storage
  recordings: { get(projectId: string, id: string): Promise<RecordingRecord> }
  clock: Clock
}

const hashOf = (secret: string) => createHash('sha256').update(secret, 'utf8').digest('hex')

const unrecognized = () => new Refusal('provided_id_is_unrecognized', { attribute: 'id' })

/** Whether a recording has media: it is complete, and something of it could be saved. */
export const isPlayable = ({ status, size_in_bytes }: RecordingRecord): boolean =>
  status === 'completed' && (size_in_bytes ?? 0) > 0

export function createRecordingShares({
  storage,
  recordings,
  clock,
}: RecordingSharesOptions): RecordingShares {
  async function list(projectId: string, recordingId: string) {
    await recordings.get(projectId, recordingId)
    const shares = await storage.recordingShares.list(projectId, recordingId)
    return shares.filter(({ expires_at }) => expires_at > clock.now())
  }

  return {
    list,
    async create(projectId, recordingId, lifetimeSeconds, actor) {
      if (!isPlayable(await recordings.get(projectId, recordingId))) {
        throw new Refusal('invalid_state', { message: 'The recording cannot be played yet.' })
      }
      if ((await list(projectId, recordingId)).length >= MOST_SHARES) {
        throw new Refusal('invalid_state', {
          message: `A recording has at most ${MOST_SHARES} links. Revoke one first.`,
        })
      }
      const secret = randomBytes(24).toString('hex')
      const now = clock.now()
      const share: RecordingShareRecord = {
        id: newId(),
        project_id: projectId,
        recording_id: recordingId,
        hash: hashOf(secret),
        expires_at: now + lifetimeSeconds * 1000,
        created_at: now,
      }
      const details = { share_id: share.id, expires_at: new Date(share.expires_at).toISOString() }
      await storage.transaction(async (tx) => {
        // It may have been deleted meanwhile.
        if (!(await tx.recordings.find(projectId, recordingId))) throw unrecognized()
        await tx.recordingShares.insert(share)
        await recordAct(
          tx,
          { actor, action: 'recording.share', projectId, target: recordingId, details },
          now,
        )
      })
      return { share, path: `${SHARED_PATH}?key=${secret}` }
    },
    async revoke(projectId, recordingId, id, actor) {
      await storage.transaction(async (tx) => {
        if (!(await tx.recordingShares.delete(projectId, recordingId, id))) throw unrecognized()
        const act = { actor, action: 'recording.unshare', projectId, target: recordingId } as const
        await recordAct(tx, { ...act, details: { share_id: id } }, clock.now())
      })
    },
    async read(secret) {
      return SECRET.test(secret) ? storage.recordingShares.findByHash(hashOf(secret)) : undefined
    },
    forgetExpired: () => storage.recordingShares.deleteExpired(clock.now() - REMEMBERED_MS),
  }
}
