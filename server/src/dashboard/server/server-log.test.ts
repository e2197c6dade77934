import { pino } from 'pino'
import { expect, it } from 'vitest'
import { LogTail } from '../../log-tail/log-tail.ts'
import { ManualClock } from '../../testing/simulation/manual-clock.ts'
import { TOGETHER_MS } from '../feed/feed.ts'
import { createServerLog, showLine } from './server-log.ts'

const clock = new ManualClock(async () => {})

it('lists lines by level, newest first, and tells new ones', async () => {
  const tail = new LogTail([])
  const log = pino({ level: 'debug' }, tail)
  const server = createServerLog(tail, clock)
  log.debug('quiet')
  log.child({ part: 'media' }).warn({ sessionId: 's1' }, 'loud')
  log.error('loudest')
  expect(server.list('warn', 10)).toMatchObject([
    { id: '3', level: 'error', message: 'loudest', details: null },
    { id: '2', level: 'warn', part: 'media', message: 'loud', details: '{"sessionId":"s1"}' },
  ])
  expect(server.list('trace', 1)).toHaveLength(1)
  const reader = server.follow()
  reader.read()
  log.info('news')
  await clock.advance(TOGETHER_MS)
  expect(String(reader.read())).toContain('"message":"news"')
})

it('shows hostile text as text', () => {
  const json = JSON.stringify({
    level: 50,
    time: 1,
    msg: '\u001b[31mred\nfake line\u202e',
    path: '<script>\u0007',
  })
  expect(showLine({ number: 1, json })).toMatchObject({
    level: 'error',
    message: '␛[31mred␊fake line\u{fffd}',
    details: '{"path":"<script>\\u0007"}',
  })
  expect(showLine({ number: 2, json: '{"level":40,"time":1000,"msg":"cut' })).toMatchObject({
    level: 'warn',
    time: '1970-01-01T00:00:01.000Z',
    message: '{"level":40,"time":1000,"msg":"cut',
  })
})
