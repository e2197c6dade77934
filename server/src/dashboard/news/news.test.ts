import { beforeEach, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../rooms/sessions/participant.ts'
import { SessionWatchers } from '../../rooms/sessions/session-watchers.ts'
import { ManualClock } from '../../testing/simulation/manual-clock.ts'
import { testCluster } from '../../testing/test-cluster.ts'
import { TOGETHER_MS } from './gathered-changes.ts'
import { createNews, type DashboardNews, STREAM_MS } from './news.ts'
import { FRAMES_KEPT } from './project-news.ts'
import { type NewsReader, WAITING_MAX_BYTES } from './reader.ts'

const project = 'project'
let clock: ManualClock
let watchers: SessionWatchers
let counted: number
let news: DashboardNews

beforeEach(() => {
  clock = new ManualClock(async () => {})
  watchers = new SessionWatchers()
  counted = 0
  const runningSessions = () => {
    counted++
    return []
  }
  news = createNews({
    sessions: { watchers, runningSessions },
    media: { workers: [] },
    clock,
    cluster: testCluster(),
  })
})

const happens = (type: SessionEvent['type'], sessionId = 's1') =>
  watchers.tell({ type, session: { id: sessionId, projectId: project } } as SessionEvent)

/** What a reader got since the last call, as text. */
const read = (reader: NewsReader) => (reader.read() as Buffer | null)?.toString() ?? ''
const idsIn = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? '')
const eventsIn = (text: string) => [...text.matchAll(/^event: (.*)$/gm)].map(([, event]) => event)

describe('the event stream', () => {
  it('begins with the state', async () => {
    const text = read(news.open(project, null, false))
    expect(eventsIn(text)).toEqual(['snapshot'])
    expect(text).toContain('data: {"rooms":0,"members":0,"audience":0,"recordings":0,"streams":0}\n\n')
  })

  it('tells what changed, many changes together', async () => {
    const reader = news.open(project, null, false)
    read(reader)
    for (const id of ['s1', 's2', 's1']) happens('member_joined', id)
    happens('recording_started')
    happens('member_talking')
    expect(read(reader)).toBe('')
    await clock.advance(TOGETHER_MS)
    const text = read(reader)
    expect(text).toContain('{"topics":["sessions","recordings"],"sessions":["s1","s2"]}')
    await clock.advance(TOGETHER_MS)
    expect(read(reader)).toBe('')
  })

  it('tells nothing of other projects', async () => {
    const other = news.open('other', null, false)
    read(other)
    news.open(project, null, false)
    happens('room_started')
    news.changed(project, 'rooms')
    await clock.advance(TOGETHER_MS)
    expect(read(other)).toBe('')
  })

  it('costs for fifty readers what it costs for one', async () => {
    const costOf = async (readers: number) => {
      const open = Array.from({ length: readers }, () => news.open(project, null, false))
      const before = counted
      happens('member_joined')
      await clock.advance(TOGETHER_MS)
      for (const reader of open) expect(read(reader)).toContain('event: changed')
      for (const reader of open) reader.destroy()
      return counted - before
    }
    expect(await costOf(1)).toBe(1)
    expect(await costOf(50)).toBe(1)
  })

  it('goes on for who comes back, and begins anew after a gap', async () => {
    const first = news.open(project, null, false)
    const [seen = ''] = idsIn(read(first))
    first.destroy()
    happens('member_joined')
    await clock.advance(TOGETHER_MS)
    const missed = read(news.open(project, seen, false))
    expect(eventsIn(missed)).toEqual(['changed'])
    expect(read(news.open(project, idsIn(missed).at(-1) ?? '', false))).toBe('')
    for (let count = 0; count < FRAMES_KEPT; count++) {
      happens('member_joined')
      await clock.advance(TOGETHER_MS)
    }
    expect(eventsIn(read(news.open(project, seen, false)))).toEqual(['snapshot'])
  })

  it.each(['', 'x', '-1', 'other-3', '0-0', '\u0000', `${'9'.repeat(30)}-${'9'.repeat(30)}`])(
    'begins anew for the id %j, which is none',
    (id) => {
      expect(eventsIn(read(news.open(project, id, false)))).toEqual(['snapshot'])
    },
  )

  it('tells the load of the server to those alone who may see it', async () => {
    const [owner, viewer] = [news.open(project, null, true), news.open(project, null, false)]
    await clock.advance(4000)
    expect(eventsIn(read(owner))).toEqual(['snapshot', 'workers', 'workers', 'workers'])
    expect(eventsIn(read(viewer))).toEqual(['snapshot'])
  })

  it('lives by heartbeats, and ends after a while, so that credentials are looked at again', async () => {
    const reader = news.open(project, null, false)
    read(reader)
    await clock.advance(30_000)
    expect(read(reader)).toBe(':\n\n:\n\n')
    await clock.advance(STREAM_MS)
    read(reader)
    expect(reader.readableEnded || reader.read() === null).toBe(true)
  })

  it('cuts off a reader that does not keep up, and keeps no more than its share', async () => {
    const slow = news.open(project, null, false)
    for (let count = 0; count < 10_000 && !slow.destroyed; count++) {
      happens('member_joined', `session-${count}`)
      await clock.advance(TOGETHER_MS)
    }
    expect(slow.destroyed).toBe(true)
    expect(slow.readableLength).toBeLessThanOrEqual(WAITING_MAX_BYTES)
    expect(news.readers).toBe(0)
  })

  it('watches no project that nobody looks at', async () => {
    const reader = news.open(project, null, false)
    reader.destroy()
    await clock.advance(STREAM_MS)
    const before = counted
    happens('member_joined')
    await clock.advance(TOGETHER_MS)
    expect(counted).toBe(before)
  })
})
