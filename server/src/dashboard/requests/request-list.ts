import type { ListCursor, ListPage, ListRequest } from '../../storage/list-page.ts'
import type { NumberedRequest, RequestRing } from './request-ring.ts'

/** Which requests of the log are asked for. All that are given have to fit. */
export interface RequestFilter {
  method?: string | undefined
  /** First digit of the status. */
  statusClass?: number | undefined
  /** Part of the path, the request id, the name of the credentials, or the error code, in small or capital letters. */
  text?: string | undefined
}

/** One page of a project's log, newest first. */
export function listRequests(
  ring: RequestRing,
  filter: RequestFilter,
  { limit, cursor }: ListRequest,
): ListPage<NumberedRequest> {
  const fits = fitting(filter)
  const { from, step } = startOf(ring, cursor)
  const found: NumberedRequest[] = []
  for (let number = from; isKept(ring, number) && found.length <= limit; number += step) {
    const request = ring.read(number)
    if (fits(request)) found.push(request)
  }
  const hasMore = found.length > limit
  const rows = found.slice(0, limit)
  if (step > 0)
    return { rows: rows.reverse(), hasPrevious: hasMore, hasNext: hasBeside(ring, rows.at(-1), -1, fits) }
  return { rows, hasPrevious: hasBeside(ring, rows[0], 1, fits), hasNext: hasMore }
}

/** Where the scan begins, and whether it goes to newer requests (1) or to older ones (-1). */
function startOf(ring: RequestRing, cursor: ListCursor | undefined): { from: number; step: 1 | -1 } {
  if (!cursor) return { from: ring.count, step: -1 }
  const step = cursor.direction === 'before' ? 1 : -1
  const from = Number(cursor.at) + (cursor.inclusive ? 0 : step)
  return { from: step > 0 ? Math.max(from, ring.oldest) : Math.min(from, ring.count), step }
}

function hasBeside(
  ring: RequestRing,
  row: NumberedRequest | undefined,
  step: 1 | -1,
  fits: (request: NumberedRequest) => boolean,
): boolean {
  if (!row) return false
  for (let number = row.number + step; isKept(ring, number); number += step) {
    if (fits(ring.read(number))) return true
  }
  return false
}

const isKept = (ring: RequestRing, number: number): boolean => number >= ring.oldest && number <= ring.count

function fitting({ method, statusClass, text }: RequestFilter): (request: NumberedRequest) => boolean {
  const wanted = text?.toLowerCase()
  return (request) => {
    if (method !== undefined && request.method !== method) return false
    if (statusClass !== undefined && Math.floor(request.status / 100) !== statusClass) return false
    if (!wanted) return true
    const { path, requestId, credentialName, errorCode } = request
    return [path, requestId, credentialName, errorCode ?? ''].some((one) =>
      one.toLowerCase().includes(wanted),
    )
  }
}
