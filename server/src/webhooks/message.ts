import { exactShower } from '../resources/answers.ts'
import { formatMoment } from '../resources/dates.ts'
import { eventFields } from '../resources/event.ts'
import type { EventRecord } from '../storage/records.ts'

const showEvent = exactShower(eventFields, 'event')

/**
 * The body of a message, as JSON. It is the same at each attempt.
 * @param sequence number of the event among those of its session that the webhook gets
 */
export function messageBody(event: EventRecord, sequence: number): string {
  const { name, created_at } = event
  return JSON.stringify({ type: name, timestamp: formatMoment(created_at), sequence, data: showEvent(event) })
}
