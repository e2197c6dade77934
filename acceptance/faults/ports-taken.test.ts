import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { freeUdpPorts } from '../../server/src/testing/free-udp-ports.ts'
import { eventually } from '../testing/eventually.ts'
import { killProcesses } from '../testing/processes.ts'
import { RED, useDeployment } from '../testing/use-deployment.ts'
import { codes, readiness } from './readiness.ts'

let taken: Socket[] = []
async function takePort(port: number): Promise<void> {
  const socket = createSocket('udp4')
  try {
    socket.bind({ port, exclusive: true })
    await once(socket, 'listening')
    taken.push(socket)
  } catch (error) {
    socket.close()
    throw error
  }
}
/** A killed process holds its ports until the system has cleaned up after it. */
const takeWhenFree = (port: number) =>
  eventually(
    `port ${port} free`,
    () =>
      takePort(port).then(
        () => true,
        () => false,
      ),
    (isTaken) => isTaken,
    { timeoutMs: 5000 },
  )
async function release(sockets: Socket[]): Promise<void> {
  taken = taken.filter((socket) => !sockets.includes(socket))
  await Promise.all(sockets.map((socket) => new Promise<void>((closed) => socket.close(closed))))
}
afterEach(() => release(taken))

/** Two for each worker. */
const RANGE = await freeUdpPorts(4)
const PORTS = Array.from({ length: 4 }, (_, index) => RANGE.first + index)
const deployment = useDeployment({
  name: 'ports-taken',
  env: { PARLEY_MEDIA_WORKERS: '2', PARLEY_RTC_PORTS: `${RANGE.first}-${RANGE.last}` },
})

/** Takes every port of the server as soon as its present workers are gone. */
async function takeAll(): Promise<void> {
  for (const port of PORTS) await takeWhenFree(port)
}

test('a start without a UDP port fails, and names who has the ports', async () => {
  const { rest, server } = deployment
  await server.killEverything()
  await takeAll()
  const ended = server.launch().then(
    () => 'it started',
    (error: Error) => error.message,
  )
  // It waits a moment: the workers of a killed server may still have to end.
  const told = await eventually(
    'the reason',
    () => readiness(rest).catch(() => null),
    (now) => codes(now?.reasons).includes('ports_taken'),
  )
  expect(told?.status).toBe('unavailable')
  const { message = '' } = told?.reasons.find(({ code }) => code === 'ports_taken') ?? {}
  const output = await ended
  expect(output).toContain('the server ended with 1')
  expect(output).toContain(`no UDP port of ${PORTS[0]}-${PORTS[3]} can be had`)
  for (const text of [message, output]) {
    expect(text).toContain(`(process ${process.pid})`)
    expect(text).toContain('PARLEY_RTC_PORTS')
  }

  // One worker with a port is enough to start.
  await release(taken.slice(2))
  await server.launch()
  expect(codes((await readiness(rest)).warnings)).toEqual(['ports_taken'])
})

test('a running server that loses all media ports says so, refuses to carry rooms, and recovers by itself', async () => {
  const { rest, server } = deployment
  await eventually(
    'both workers have ports',
    () => readiness(rest),
    ({ reasons, warnings }) => reasons.length + warnings.length === 0,
  )
  killProcesses((await server.mediaWorkers()).map(({ pid }) => pid))
  await takeAll()
  const told = await eventually(
    'the reason',
    () => readiness(rest),
    (now) => codes(now.reasons).join() === 'ports_taken',
  )
  expect(told.status).toBe('unavailable')
  expect(told.reasons[0]?.message).toContain(`(process ${process.pid})`)
  expect((await rest.send('GET', '/healthz')).status).toBe(200)

  const room_name = deployment.roomName()
  await rest.createRoom({ name: room_name })
  const red = await deployment.open(RED)
  const token = await rest.createRoomToken({ room_name, user_name: RED.name })
  const refused = await red.refusalOf(red.join(token))
  expect(String(refused.code)).toBe('503')
  expect(refused.message).toContain('media server is not available')

  // One worker with a port can carry rooms without the other worker.
  await release(taken.slice(2))
  const partly = await eventually(
    'one worker has a port',
    () => readiness(rest),
    ({ reasons }) => reasons.length === 0,
  )
  expect(codes(partly.warnings)).toEqual(['ports_taken'])
  const back = await deployment.enter(RED, { room_name })
  await back.moreFrames(5)

  await release(taken)
  await eventually(
    'no warning',
    () => readiness(rest),
    ({ warnings }) => warnings.length === 0,
  )
})
