import { beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../testing/simulation/manual-clock.ts'
import { TOGETHER_MAX, TOGETHER_MS } from '../feed/feed.ts'
import { createRequestLog, PROJECTS_MAX, type RequestLog } from './request-log.ts'
import { type LoggedRequest, PATH_MAX_BYTES, REQUESTS_KEPT } from './request-ring.ts'
import { shownPath } from './shown-path.ts'

let clock: ManualClock
let log: RequestLog
beforeEach(() => {
  clock = new ManualClock(async () => {})
  log = createRequestLog(clock)
})

const request = (changes: Partial<LoggedRequest> = {}): LoggedRequest => ({
  at: 1,
  requestId: 'r',
  method: 'GET',
  path: '/api/video/rooms',
  status: 200,
  durationMs: 1.24,
  credentialKind: 'api-token',
  credentialName: 'ci',
  errorCode: null,
  ...changes,
})
const numbers = (rows: readonly { number: number }[]) => rows.map(({ number }) => number)

describe('the request log', () => {
  it('keeps the last requests, newest first, and reads them page by page both ways', () => {
    for (let i = 1; i <= REQUESTS_KEPT + 5; i++) log.add('p', request({ requestId: `r${i}` }))
    const first = log.list('p', {}, { limit: 2 })
    expect(first).toMatchObject({ hasPrevious: false, hasNext: true, rows: [{ requestId: 'r1005' }, {}] })
    const second = log.list('p', {}, { limit: 2, cursor: { at: 1004, id: '1004', direction: 'after' } })
    expect(numbers(second.rows)).toEqual([1003, 1002])
    expect(second).toMatchObject({ hasPrevious: true, hasNext: true })
    log.add('p', request())
    const back = log.list('p', {}, { limit: 2, cursor: { at: 1003, id: '1003', direction: 'before' } })
    expect(numbers(back.rows)).toEqual([1005, 1004])
    expect(back).toMatchObject({ hasPrevious: true, hasNext: true })
    const all = log.list('p', {}, { limit: 5000 })
    expect(all.rows).toHaveLength(REQUESTS_KEPT)
    expect(all.hasNext).toBe(false)
  })

  it('filters by method, status and text', () => {
    log.add('p', request({ method: 'POST', status: 422, errorCode: 'invalid_parameter' }))
    log.add('p', request({ path: '/api/video/conferences', requestId: 'Mine-1' }))
    const found = (filter: object) => numbers(log.list('p', filter, { limit: 9 }).rows)
    expect(found({ method: 'POST' })).toEqual([1])
    expect(found({ statusClass: 2 })).toEqual([2])
    expect(found({ text: 'mine' })).toEqual([2])
    expect(found({ text: 'INVALID_' })).toEqual([1])
    expect(found({ text: 'ci', statusClass: 5 })).toEqual([])
  })

  it('forgets the project that was silent for longest', () => {
    for (let i = 0; i <= PROJECTS_MAX; i++) log.add(`p${i}`, request({ at: i }))
    expect(log.list('p0', {}, { limit: 1 }).rows).toEqual([])
    expect(log.list(`p${PROJECTS_MAX}`, {}, { limit: 9 }).rows).toHaveLength(1)
  })

  it('keeps no secrets of queries, and long paths up to a length', () => {
    expect(shownPath('/a?page_size=5&signature=s3cret&s3cret&vpt_s3cret=1')).toBe(
      '/a?page_size=5&signature=***&***&***',
    )
    log.add('p', request({ path: `/${'x'.repeat(5000)}` }))
    expect(log.list('p', {}, { limit: 1 }).rows[0]?.path).toHaveLength(PATH_MAX_BYTES)
  })

  it('tells those who follow, all of them the same bytes, and nobody of another project', async () => {
    const [one, two, other] = [log.follow('p'), log.follow('p'), log.follow('q')]
    for (const reader of [one, two, other]) expect(String(reader.read())).toBe('event: begin\ndata: null\n\n')
    log.add('p', request({ requestId: 'seen' }))
    await clock.advance(TOGETHER_MS)
    const [bytes, same] = [one.read() as Buffer, two.read() as Buffer]
    expect(String(bytes)).toContain('"request_id":"seen"')
    expect(same.buffer).toBe(bytes.buffer)
    expect(other.read()).toBeNull()
    for (let i = 0; i <= TOGETHER_MAX; i++) log.add('p', request())
    await clock.advance(TOGETHER_MS)
    expect(String(one.read())).toBe('event: gap\ndata: null\n\n')
  })
})
