import type { Clock } from '../../clock.ts'
import type { ListPage, ListRequest } from '../../storage/list-page.ts'
import { Feed } from '../feed/feed.ts'
import type { NewsReader } from '../news/reader.ts'
import { listRequests, type RequestFilter } from './request-list.ts'
import { type LoggedRequest, type NumberedRequest, RequestRing } from './request-ring.ts'
import { showLoggedRequest } from './show-request.ts'

/** Projects whose requests are kept: some 0.3 MB each. With more, the one that was silent for longest is forgotten. */
export const PROJECTS_MAX = 50

/** The last requests to the API of each project, in memory. They are gone when the server ends. */
export interface RequestLog {
  /** Keeps a request that was answered. It is on the path of every request. */
  add(projectId: string, request: LoggedRequest): void
  /** Newest first. */
  list(projectId: string, filter: RequestFilter, request: ListRequest): ListPage<NumberedRequest>
  /** Opens a stream of what comes from now on: see {@link Feed}. */
  follow(projectId: string): NewsReader
  /** Ends all streams. */
  stop(): void
}

/** Creates the request log. It is empty at first. */
export function createRequestLog(clock: Clock): RequestLog {
  const rings = new Map<string, RequestRing>()
  const feeds = new Map<string, Feed<NumberedRequest>>()

  function ringOf(projectId: string): RequestRing {
    const known = rings.get(projectId)
    if (known) return known
    const ring = (rings.size < PROJECTS_MAX ? null : freed(rings)) ?? new RequestRing()
    rings.set(projectId, ring)
    return ring
  }

  return {
    add(projectId, request) {
      const ring = ringOf(projectId)
      const number = ring.add(request)
      const feed = feeds.get(projectId)
      if (feed?.isRead) feed.tell(ring.read(number))
    },
    list(projectId, filter, request) {
      const ring = rings.get(projectId)
      return ring ? listRequests(ring, filter, request) : { rows: [], hasPrevious: false, hasNext: false }
    },
    follow(projectId) {
      // Those of projects that nobody looks at are of no use any more.
      for (const [id, feed] of feeds) if (!feed.isRead) feeds.delete(id)
      const feed = feeds.get(projectId) ?? new Feed(clock, showLoggedRequest)
      feeds.set(projectId, feed)
      return feed.open()
    },
    stop() {
      for (const feed of feeds.values()) feed.stop()
    },
  }
}

/** Takes its memory from the project that was silent for longest. */
function freed(rings: Map<string, RequestRing>): RequestRing | null {
  const [silent] = [...rings].sort(([, one], [, other]) => one.lastAt - other.lastAt)
  if (!silent) return null
  rings.delete(silent[0])
  silent[1].clear()
  return silent[1]
}
