import { newId } from '../ids.ts'
import type { AuditRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

/**
 * The author of an administrative change: an OS user at the command line, an API token over REST, a user who signed in,
 * or the server itself at its start.
 */
export interface Actor {
  kind: AuditRecord['actor_kind']
  /** Name of the OS user or of the user, id of the API token, or `server`. */
  name: string
}

/** The server itself, for example when it takes over a preset token. */
export const SERVER: Actor = { kind: 'server', name: 'server' }

/** Actions of the administration: the thing, a dot, the verb. */
export type AuditAction =
  | 'project.create'
  | 'project.move'
  | 'project.open_rooms'
  | 'project.embed_origins'
  | 'project.recording_retention'
  | 'project.recording_quota'
  /** Recordings are moved from the disk to the store of objects. */
  | 'media.move'
  /** The server deleted recordings that were older than the rule allows. */
  | 'recording.expire'
  | 'recording.share'
  | 'recording.unshare'
  /** The deletion has begun. The API tokens are gone, and the rest follows. */
  | 'project.delete_begin'
  | 'project.delete'
  | 'api_token.create'
  | 'api_token.rotate'
  | 'api_token.revoke'
  | 'subscriber.revoke'
  | 'room_token.revoke'
  /** What somebody did to a running room from the dashboard. */
  | 'room_session.mute'
  | 'room_session.lock'
  | 'room_session.unlock'
  | 'room_session.layout'
  | 'room_session.message'
  | 'room_session.record'
  | 'room_session.stop_recording'
  | 'room_session.stream'
  | 'room_session.stop_streams'
  | 'room_session.end'
  | 'stream.start'
  | 'stream.stop'
  | 'stream.test'
  | 'conference_token.reset'
  | 'webhook.create'
  | 'webhook.update'
  | 'webhook.rotate'
  | 'webhook.delete'
  | 'webhook.replay'
  /** The server gave up: the receiver is gone, or has failed for days. */
  | 'webhook.disable'
  | 'user.add'
  | 'user.invite_owner'
  /** A user chose a password by the one-time link. */
  | 'user.accept'
  | 'user.role'
  | 'user.reset'
  | 'user.remove'
  | 'user.password'
  | 'user.sign_in'
  | 'user.sign_out'
  /** No new session begins; and the end of that. */
  | 'server.drain'
  | 'server.undrain'
  | 'server.checkup'
  | 'backup.create'
  | 'backup.restore'

/** One act of administration. */
export interface AdministrativeAct {
  actor: Actor
  action: AuditAction
  /** The project concerned; null when the act concerns the whole server. */
  projectId: string | null
  /** Id of the changed thing, if it has one besides the project's. */
  target?: string
  /** Further details: names, ids, scopes. Never a secret, nor the hash of one. */
  details?: AuditRecord['details']
}

/**
 * Writes an act into the audit log. Call it in the transaction of the act itself, so that every act has an entry, and
 * every entry has an act.
 * @param at Unix milliseconds
 */
export async function recordAct(
  tx: Pick<Storage, 'audit'>,
  { actor, action, projectId, target, details = {} }: AdministrativeAct,
  at: number,
): Promise<void> {
  await tx.audit.append({
    id: newId(),
    actor_kind: actor.kind,
    actor: actor.name,
    action,
    about_project: projectId,
    target: target ?? null,
    details,
    created_at: at,
  })
}
