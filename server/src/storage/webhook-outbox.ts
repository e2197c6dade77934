import { sql } from 'kysely'
import { newId } from '../ids.ts'
import { isSelected } from '../resources/event-names.ts'
import type { EventRecord } from './records.ts'
import type { Database } from './tables.ts'

/**
 * Notes an event for the webhooks of its project. Call it in the transaction that writes the event, so that none is
 * lost and none is made up.
 * @returns whether a webhook gets it
 */
export async function noteForWebhooks(tx: Database, event: EventRecord): Promise<boolean> {
  const enabled = await tx
    .selectFrom('webhooks')
    .select(['id', 'events'])
    .where('project_id', '=', event.project_id)
    .where('enabled', '=', 1)
    // Everybody locks streams in the same order.
    .orderBy('id')
    .execute()
  const receivers = enabled.filter(
    ({ events }) => events === null || isSelected(event.name, JSON.parse(events)),
  )
  if (receivers.length === 0) return false
  const stream_id = event.room_session_id ?? event.id
  const streams = await tx
    .insertInto('webhook_streams')
    .values(
      receivers.map(({ id }) => ({
        webhook_id: id,
        id: stream_id,
        project_id: event.project_id,
        last_sequence: 1,
        done_sequence: 0,
        next_at: event.created_at,
        holder: null,
        updated_at: event.created_at,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['webhook_id', 'id']).doUpdateSet({
        // The row stays locked until the end of the transaction, so numbers become visible in their order.
        last_sequence: sql`webhook_streams.last_sequence + 1`,
        next_at: sql`coalesce(webhook_streams.next_at, excluded.next_at)`,
        updated_at: sql`excluded.updated_at`,
      }),
    )
    .returning(['webhook_id', 'last_sequence'])
    .execute()
  await tx
    .insertInto('webhook_deliveries')
    .values(
      streams.map(({ webhook_id, last_sequence }) => ({
        id: newId(),
        project_id: event.project_id,
        webhook_id,
        event_id: event.id,
        event_name: event.name,
        room_session_id: event.room_session_id,
        stream_id,
        sequence: last_sequence,
        status: 'pending' as const,
        attempts: 0,
        attempt_log: '',
        first_attempt_at: null,
        created_at: event.created_at,
        finished_at: null,
      })),
    )
    .execute()
  return true
}
