import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WorkerRequest } from '../media/messages.ts'
import { Rooms } from './rooms.ts'
import { releaseNativeTransports } from './transport/native-connection.ts'

const OPTIONS = { quality: '720p', fps: 20, toneOnEntryAndExit: true, previewFile: null } as const
const SESSION = 'session-1'

describe('the requests of a worker', () => {
  let rooms: Rooms
  let lastId = 0
  const ask = (request: object) => rooms.answer({ id: ++lastId, ...request } as WorkerRequest)

  beforeEach(async () => {
    const rtc = { portRange: { begin: 41930, end: 41939 } }
    rooms = new Rooms({ rtc, log: pino({ level: 'silent' }), onNotice: () => {} })
    await ask({ method: 'createRoom', args: [{ ...OPTIONS, sessionId: SESSION }] })
  })
  afterEach(async () => {
    await rooms.close()
    releaseNativeTransports()
  })

  test('reach the part of the room that is declared for them', async () => {
    await ask({ sessionId: SESSION, method: 'setTiles', args: [[]] })
    await ask({ sessionId: SESSION, method: 'playTone', args: ['entry'] })
    const recording = { sessionId: SESSION, method: 'pauseRecording', args: ['recording-1'] }
    await expect(ask(recording)).rejects.toThrow('no running recording recording-1')
    expect(await ask({ method: 'closeRoom', args: [SESSION] })).toEqual([])
    await expect(ask(recording)).rejects.toThrow(`no media room ${SESSION}`)
  })

  test.each(['constructor', 'toString', '__proto__', 'close', 'answer', 'stop', ''])(
    'are refused for a name that is not declared: %j',
    async (method) => {
      await expect(ask({ sessionId: SESSION, method, args: [] })).rejects.toThrow(`no method ${method}`)
      await expect(ask({ method, args: [] })).rejects.toThrow(`no method ${method}`)
      expect(rooms.size).toEqual({ rooms: 1, legs: 0 })
    },
  )
})
