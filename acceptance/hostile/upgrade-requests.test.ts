import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { BLUE, useDeployment } from '../testing/use-deployment.ts'
import { useMeetingInProgress } from './meeting-in-progress.ts'

const PLANT = new URL('./planted-faults.mjs', import.meta.url).href

const deployment = useDeployment({
  name: 'hostile-upgrades',
  // Only one worker, so that the faulty room is on the same worker as the meeting.
  env: { PARLEY_MEDIA_WORKERS: '1', NODE_OPTIONS: `--import=${PLANT}` },
  participantsLive: 'for all tests',
})
const meeting = useMeetingInProgress(deployment)

/** Each of these once ended the process, or is similar to one that did. */
const ODD_TARGETS = [
  '//',
  '/\\',
  '//[',
  '///',
  '/\\\\[',
  'http://[',
  '*',
  'ws://[::/',
  '/%',
  '/\0',
  '?',
  '#',
  '//@:99999/',
]

async function open(): Promise<TLSSocket> {
  const { port, hostname: host } = new URL(deployment.access.baseUrl)
  const socket = connect({ host, port: Number(port), ca: deployment.access.ca, servername: 'localhost' })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

/** Sends one request head. @returns the first line of the answer; empty if there is none */
async function ask(head: string): Promise<string> {
  const socket = await open()
  let answer = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text
    if (answer.includes('\r\n')) socket.destroy()
  })
  socket.write(head)
  await once(socket, 'close')
  return answer.split('\r\n', 1)[0] ?? ''
}

const upgrade = (target: string) =>
  [
    `GET ${target} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '\r\n',
  ].join('\r\n')

async function processesAre(before: { main: number; workers: number[] }): Promise<void> {
  expect(deployment.server.pid).toBe(before.main)
  expect((await deployment.server.mediaWorkers()).map(({ pid }) => pid)).toEqual(before.workers)
  expect(await deployment.server.readyStatus()).toBe(200)
}

async function processesNow() {
  const workers = (await deployment.server.mediaWorkers()).map(({ pid }) => pid)
  return { main: deployment.server.pid, workers }
}

test('an upgrade of any target is answered, and ends nothing', async () => {
  const before = await processesNow()
  await meeting.goesOnDuring(async () => {
    for (const target of ODD_TARGETS) {
      const status = await ask(upgrade(target))
      expect(status, target).toMatch(/^HTTP\/1\.1 (101|4\d\d) /)
    }
    for (const target of ['/', '/relay', '/relay?x', 'https://localhost/relay']) {
      expect(await ask(upgrade(target)), target).toContain(' 101 ')
    }
    expect(await ask('CONNECT //[ HTTP/1.1\r\nHost: localhost\r\n\r\n')).toMatch(/^HTTP\/1\.1 4/)
  })
  await processesAre(before)
})

test('a fault in the listener of one client costs that client its socket, and is logged with its id', async () => {
  const before = await processesNow()
  await meeting.goesOnDuring(async () => {
    const socket = await open()
    socket.write(upgrade('/'))
    await once(socket, 'data')
    const payload = Buffer.from('{"jsonrpc":"2.0","id":"planted-id","method":5}')
    // A masked text frame (RFC 6455, section 5.2) whose mask changes nothing.
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]))
    await once(socket, 'close')
  })
  const line = deployment.server.logLines().find((entry) => entry.includes('planted in a listener'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    where: 'client message',
    connectionId: expect.any(String),
  })
  await processesAre(before)
})

test('faults that nobody foresaw end neither the main process nor a worker', async () => {
  const before = await processesNow()
  await meeting.goesOnDuring(async () => {
    for (const pid of [before.main, ...before.workers]) process.kill(pid, 'SIGUSR2')
    for (const where of ['timer', 'promise', 'datagram']) {
      await eventually(
        `both processes' words on the fault in a ${where}`,
        async () => deployment.server.logLines().filter((line) => line.includes(`planted in a ${where}`)),
        (lines) => lines.length === 2,
      )
    }
  })
  await processesAre(before)
})

test('a room that throws at every tick is closed, and its worker goes on with the others', async () => {
  const before = await processesNow()
  const room_name = deployment.roomName()
  // The start of a browser uses both cores for a while, and would disturb the meeting. So it starts beforehand.
  const blue = await deployment.open(BLUE)
  await meeting.goesOnDuring(async () => {
    await blue.join(await deployment.rest.createRoomToken({ room_name, user_name: 'faulty' }))
    await blue.events.waitFor('room.left')
    const events = await eventually(
      'the event that says why',
      () => deployment.rest.sessionEvents(blue.roomSessionId),
      (list) => list.some(({ payload }) => JSON.stringify(payload).includes('planted in a room')),
    )
    expect(events.length).toBeGreaterThan(0)
  })
  await processesAre(before)
  const again = await deployment.enter(BLUE, { room_name })
  await again.moreFrames(5)
})
