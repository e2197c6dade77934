import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
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

/** Two free ports for each worker, below the range from which the system assigns ports. */
async function freePorts(): Promise<number[]> {
  const first = 20_000 + 4 * Math.floor(Math.random() * 2000)
  const ports = [first, first + 1, first + 2, first + 3]
  try {
    for (const port of ports) await takePort(port)
    return ports
  } catch {
    return freePorts()
  } finally {
    await release(taken)
  }
}

const PORTS = await freePorts()
const deployment = useDeployment({
  name: 'ports-taken',
  env: { PARLEY_MEDIA_WORKERS: '2', PARLEY_RTC_PORTS: `${PORTS[0]}-${PORTS[3]}` },
})

test('a server whose media ports are all taken says so, refuses to carry rooms, and recovers by itself', async () => {
  const { rest, server } = deployment
  await server.killEverything()
  for (const port of PORTS) await takeWhenFree(port)
  // Resolves once the server is ready. It becomes ready when ports are free.
  const launched = server.launch()
  launched.catch(() => {})
  const told = await eventually(
    'the reason',
    () => readiness(rest).catch(() => null),
    (now) => codes(now?.reasons).includes('ports_taken'),
  )
  expect(told?.status).toBe('unavailable')
  expect(told?.reasons).toMatchObject([
    { part: 'ports', message: expect.stringContaining('PARLEY_RTC_PORTS') },
  ])
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
  await launched
  const partly = await readiness(rest)
  expect(partly.reasons).toEqual([])
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
