import type { FeedKey, LegOptions, MemberMedia, OfferedFeed } from '../media/channel.ts'
import type { ViewerNotice } from '../media/viewer-host.ts'

/** What the owner of a room and a node that serves viewers of it say to each other. */

/** Asks a node to do something for viewers: {@link Ask}, answered by {@link Reply}. */
export const ASK = 'viewers.ask'
/** Tells the owner of a room: {@link Told}. */
export const TELL = 'viewers.tell'

/** Path at which a node gives the feed of a room. What is said for the pipe is the id of the feed. */
export const FEED_PATH = '/cluster/feed'

/** A feed, as another node gets it: it connects to the node, and not to the worker. */
export type DistantFeed = FeedKey & Pick<OfferedFeed, 'fullBitrateBps'>

/** A method of `ViewerHost`, or `prepare`, which is answered once rooms can be served without delay. */
export type Wish =
  | { method: 'prepare' }
  | { method: 'serveRoom'; sessionId: string; feed: DistantFeed }
  | { method: 'closeRoom'; sessionId: string }
  | { method: 'connectLeg'; sessionId: string; leg: LegOptions }
  | { method: 'closeLeg'; sessionId: string; legId: string }
  | { method: 'setMember'; sessionId: string; member: MemberMedia }
  | { method: 'removeMember'; sessionId: string; memberId: string }

/** A wish, and the run of the node that it is for: another run knows nothing of what was asked of this one. */
export type Ask = Wish & { run: string }

/** `isGone`: who would do it is not there any more; otherwise it was refused. */
export type Reply = { result: unknown } | { error: string; isGone: boolean }

/** Something happened to viewers that the sender serves. */
export interface Told {
  /** Of the sender. */
  run: string
  sessionId: string
  notice: ViewerNotice
}
