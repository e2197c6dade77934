import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { Containment, containEvents, MustEnd } from './containment.ts'

/** A real log and its lines. */
function keptLog() {
  const lines: Record<string, unknown>[] = []
  const stream = new PassThrough()
  stream.on('data', (line) => lines.push(JSON.parse(String(line))))
  return { log: pino({ level: 'info' }, stream), lines }
}

const fault = () => {
  throw new Error('a fault')
}

it('lets a guarded callback throw nothing, and logs what it threw with the ids of its owner', () => {
  const { log, lines } = keptLog()
  const containment = new Containment(log.child({ sessionId: 'one' }))
  expect(() => containment.guard('picture', fault)()).not.toThrow()
  containment.note('client message', new Error('another'), { connectionId: 'c' })
  expect(lines).toMatchObject([
    { where: 'picture', sessionId: 'one', err: { message: 'a fault' } },
    { where: 'client message', connectionId: 'c', err: { message: 'another' } },
  ])
})

it('passes arguments on', () => {
  const { log } = keptLog()
  const seen: unknown[] = []
  new Containment(log).guard('packet', (...args: number[]) => seen.push(...args))(1, 2, 3)
  expect(seen).toEqual([1, 2, 3])
})

it('logs the first faults of a place and not all of a flood', () => {
  const { log, lines } = keptLog()
  const containment = new Containment(log)
  for (let i = 0; i < 10_000; i++) containment.note('packet', new Error('flood'))
  containment.note('timer', new Error('of another place'))
  expect(lines.filter(({ where }) => where === 'packet')).toHaveLength(5)
  expect(lines.filter(({ where }) => where === 'timer')).toHaveLength(1)
})

it('tells once that faults are too many, and not of few', () => {
  const { log } = keptLog()
  const told: unknown[] = []
  const limit = { faults: 3, withinMs: 10_000, onTooMany: (error: unknown) => told.push(error) }
  const tick = new Containment(log, limit).guard('sound', fault)
  for (let i = 0; i < 3; i++) tick()
  expect(told).toEqual([])
  for (let i = 0; i < 10; i++) tick()
  expect(told).toHaveLength(1)
})

it('does not contain what the process must end for', () => {
  const { log } = keptLog()
  const guarded = new Containment(log).guard('timer', () => {
    throw new MustEnd('no database')
  })
  expect(guarded).toThrow(MustEnd)
})

it('contains what listeners of an emitter throw, those included that are added later', () => {
  const emitter = new EventEmitter()
  const faults: unknown[][] = []
  containEvents(emitter, (event, error, args) => faults.push([event, (error as Error).message, args]))
  emitter.on('connection', fault)
  expect(emitter.emit('connection', 'socket')).toBe(true)
  expect(emitter.emit('nothing')).toBe(false)
  expect(faults).toEqual([['connection', 'a fault', ['socket']]])
})
