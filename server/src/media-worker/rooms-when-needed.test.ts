import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import type { WorkerRequest } from '../media/messages.ts'
import { RoomsWhenNeeded } from './rooms-when-needed.ts'
import { releaseTransports } from './transport/open-connection.ts'

const OPTIONS = {
  quality: '720p',
  fps: 20,
  toneOnEntryAndExit: false,
  previewFile: null,
  hlsFolder: null,
} as const
const rtc = { portRange: { begin: 41940, end: 41949 } }
const options = { rtc, log: pino({ level: 'silent' }), onNotice: () => {}, onStuck: () => {} }

const opened: RoomsWhenNeeded[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((rooms) => rooms.close()))
  releaseTransports()
})

function start() {
  const rooms = new RoomsWhenNeeded(options)
  opened.push(rooms)
  let lastId = 0
  const ask = (method: string, ...args: unknown[]) =>
    rooms.answer({ id: ++lastId, method, args } as WorkerRequest)
  return { rooms, ask }
}

test('requests that come while the code is loaded are met in their order, by the same rooms', async () => {
  const { rooms, ask } = start()
  rooms.giveUp('fps-10')
  expect(rooms.size).toEqual({ rooms: 0, legs: 0 })
  const room = { ...OPTIONS, sessionId: 'session-1' }
  const [, , second] = await Promise.allSettled([
    ask('prepare'),
    ask('createRoom', room),
    ask('createRoom', room),
  ])
  expect(second).toMatchObject({
    status: 'rejected',
    reason: { message: 'media room session-1 exists already' },
  })
  expect(rooms.size).toEqual({ rooms: 1, legs: 0 })
})

test('a worker that ends while the code is loaded closes the rooms that were asked for', async () => {
  const { rooms, ask } = start()
  const asked = ask('createRoom', { ...OPTIONS, sessionId: 'session-1' })
  await rooms.close()
  await asked
  expect(rooms.size).toEqual({ rooms: 0, legs: 0 })
})
