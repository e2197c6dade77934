import type { Clock } from '../../clock.ts'
import type { ListCursor } from '../../storage/list-page.ts'
import type { SessionRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'

/** So long after its end a session that was interrupted may go on in another one. Pages try to come back for five minutes. */
const MAY_GO_ON_MS = 5 * 60_000
/** Ends that nobody in the room wanted (see `SessionEndReason`). */
const INTERRUPTIONS = new Set(['server_interrupted', 'shutdown', 'ownership_lost', 'media_worker_died'])
/** Events after the end: of recordings that were finished. */
const LAST_EVENTS = 50
const END_OF_LIST: ListCursor = { at: Number.MAX_SAFE_INTEGER, id: '', direction: 'before' }

/**
 * Where a session that is over goes on. A link counts for one session, so it leads on only from a session that was
 * interrupted, to the one in which the same people go on.
 * @returns the session in progress of the same room; `soon` while there may be one yet; null for a session that is over
 */
export async function continuationOf(
  { project_id, id, room_id, end_time }: SessionRecord,
  { storage, clock }: { storage: Pick<Storage, 'sessions' | 'events'>; clock: Pick<Clock, 'now'> },
): Promise<SessionRecord | 'soon' | null> {
  if (room_id === null || clock.now() - (end_time ?? 0) > MAY_GO_ON_MS) return null
  const request = { cursor: END_OF_LIST, limit: LAST_EVENTS }
  const { rows } = await storage.events.list(project_id, { sessionId: id }, request)
  const end = rows.find(({ name }) => name === 'room.ended')
  if (!INTERRUPTIONS.has(String((end?.payload as { reason?: unknown } | undefined)?.reason))) return null
  const active = await storage.sessions.findActiveByRooms(project_id, [room_id])
  return active.get(room_id) ?? 'soon'
}
