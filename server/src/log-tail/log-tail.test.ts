import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { LINE_MAX_LENGTH, LINES_KEPT, LogTail } from './log-tail.ts'

describe('the tail of the log', () => {
  it('keeps the last lines, newest first, each up to a length', () => {
    const tail = new LogTail([])
    for (let i = 1; i <= LINES_KEPT + 2; i++) tail.write(`{"msg":"${i}"}\n`)
    const lines = tail.lines()
    expect(lines).toHaveLength(LINES_KEPT)
    expect([lines[0]?.json, lines.at(-1)?.json]).toEqual(['{"msg":"1002"}', '{"msg":"3"}'])
    tail.write('x'.repeat(1e6))
    expect(tail.lines()[0]?.json).toHaveLength(LINE_MAX_LENGTH)
  })

  it('has no secrets, whichever way they got into the log', () => {
    const tail = new LogTail(['pa"ss-word', 'short'])
    const log = pino({ level: 'info' }, tail)
    log.info({ err: new Error('connect postgres://parley:pg-pass@db/x failed') }, 'token is pa"ss-word')
    log.info('Authorization: Basic cGFybGV5OnNlY3JldA== and Bearer abcdefgh.ijkl')
    log.info({ url: 'rtmps://live.example.com/app/stream-key' }, 'vpt_0123456789abcdef')
    log.info('eyJhbGciOiJIUzI1NiJ9.eyJyIjoiYSJ9.c2lnbmF0dXJl')
    const text = tail
      .lines()
      .map(({ json }) => json)
      .join('\n')
    for (const secret of ['ss-word', 'pg-pass', 'cGFyb', 'abcdefgh', 'stream-key', '0123456789', 'c2lnbm']) {
      expect(text).not.toContain(secret)
    }
    for (const { json } of tail.lines()) expect(() => JSON.parse(json)).not.toThrow()
  })
})
