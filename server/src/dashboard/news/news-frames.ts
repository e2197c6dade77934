import type { MediaWorkerState } from '../../media/media-plane.ts'
import type { LiveFigures } from '../live-figures.ts'

/** Lists and records that changed, so that whoever shows them reads them again. */
export const TOPICS = ['rooms', 'sessions', 'recordings', 'streams'] as const
export type Topic = (typeof TOPICS)[number]

/** What the event stream tells. */
export type News =
  /** First of all, and after a gap: the state. Whatever else was read before may be old. */
  | { event: 'snapshot'; data: LiveFigures }
  | { event: 'now'; data: LiveFigures }
  | { event: 'changed'; data: { topics: readonly Topic[]; sessions: readonly string[] } }
  /** The load of the media workers, for those who may see the server. It has no id: only the newest counts. */
  | { event: 'workers'; data: readonly MediaWorkerState[] }

/** A comment, which clients skip. It shows that the connection lives. */
export const HEARTBEAT = Buffer.from(':\n\n')

/**
 * An event in the form of an event stream (HTML Living Standard, section 9.2), encoded once for all who read it.
 * @param id by which a client that comes back says what it has seen; null if it need not
 */
export function frameOf({ event, data }: News, id: string | null): Buffer {
  return Buffer.from(`${id === null ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
}
