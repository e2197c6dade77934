import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WorkerRequest } from '../media/messages.ts'
import { Rooms } from './rooms.ts'
import { releaseTransports } from './transport/open-connection.ts'

const OPTIONS = {
  quality: '720p',
  fps: 20,
  toneOnEntryAndExit: true,
  previewFile: null,
  hlsFolder: null,
} as const
const SESSION = 'session-1'

describe('the requests of a worker', () => {
  let rooms: Rooms
  let lastId = 0
  const ask = (request: object) => rooms.answer({ id: ++lastId, ...request } as WorkerRequest)

  beforeEach(async () => {
    const rtc = { portRange: { begin: 41930, end: 41939 } }
    rooms = new Rooms({ rtc, log: pino({ level: 'silent' }), onNotice: () => {}, onStuck: () => {} })
    await ask({ method: 'createRoom', args: [{ ...OPTIONS, sessionId: SESSION }] })
  })
  afterEach(async () => {
    await rooms.close()
    releaseTransports()
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

  describe('that start an output of a room which is closed meanwhile', () => {
    const close = () => ask({ method: 'closeRoom', args: [SESSION] })
    const openServers = () => process.getActiveResourcesInfo().filter((one) => one === 'TCPServerWrap').length
    let folder: string

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'rooms-'))
    })
    afterEach(() => rm(folder, { recursive: true }))

    test('leave nothing of a recording', async () => {
      const args = ['recording-1', join(folder, 'recording-1.mp4')]
      const refused = expect(ask({ sessionId: SESSION, method: 'startRecording', args })).rejects.toThrow(
        'nothing was recorded',
      )
      expect(await close()).toEqual([])
      await refused
      expect(await readdir(folder)).toEqual([])
    })

    test('leave nothing of a stream', async () => {
      const target = { host: 'live.example.com', address: '127.0.0.1', port: 1935, tls: false }
      const args = [{ streamId: 'stream-1', url: 'rtmp://live.example.com/app/key', target }]
      const before = openServers()
      const refused = expect(ask({ sessionId: SESSION, method: 'startStream', args })).rejects.toThrow(
        'the stream was stopped',
      )
      await close()
      await refused
      await expect.poll(openServers).toBe(before)
    })
  })
})
