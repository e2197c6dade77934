import type { SessionEvent } from '../../rooms/sessions/participant.ts'
import type { OutgoingEvent } from '../json-rpc.ts'

/** What is needed to know of a session that runs on another node. */
export interface SessionElsewhere {
  id: string
  roomId: string | null
  name: string
}

/** An event of a session that runs on another node, as it travels. */
export interface EventElsewhere {
  type: SessionEvent['type']
  session: SessionElsewhere
  /** Of the frame. */
  id: string
  /** Complete but for the origin of its links, see {@link ORIGIN_TO_FILL_IN}. */
  frame: string
}

/** Stands for the URL where a back end reaches this service, in events that are encoded for several of them. */
export const ORIGIN_TO_FILL_IN = 'https://origin.invalid'

/** An event as it travels. @param encoded for {@link ORIGIN_TO_FILL_IN} */
export function eventElsewhere({ type, session }: SessionEvent, encoded: OutgoingEvent): EventElsewhere {
  const { id, roomId, name } = session
  return { type, session: { id, roomId, name }, id: encoded.id, frame: encoded.frame.toString() }
}

/** The event as a back end gets it. @param origin URL where it reaches this service */
export const outgoingFor = ({ id, frame }: EventElsewhere, origin: string): OutgoingEvent => ({
  id,
  frame: Buffer.from(frame.replaceAll(ORIGIN_TO_FILL_IN, origin)),
})
