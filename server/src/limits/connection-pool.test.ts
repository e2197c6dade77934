import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ConnectionLimits, ConnectionPool } from './connection-pool.ts'
import { LimitLog } from './limit-log.ts'

/** The tests use real connections over the loopback interface, which has enough addresses for all clients of a test. */
let server: Server
let pool: ConnectionPool
let lines: unknown[]
let trusted: string
const clients: Client[] = []

interface Client {
  near: Socket
  /** The server's end of the connection; absent when the server refused it. */
  far: Socket | undefined
  isOpen: boolean
}

const LIMITS = {
  maxConnections: 100,
  connectionsPerAddress: 20,
  connectionsPerToken: 5,
  connectionsPerProject: 30,
}

async function serve(limits: Partial<ConnectionLimits> = {}): Promise<void> {
  const log = new LimitLog({ warn: (line: unknown) => lines.push(line) })
  pool = new ConnectionPool({ ...LIMITS, ...limits }, { isTrusted: (address) => address === trusted }, log)
  server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

beforeEach(() => {
  lines = []
  trusted = ''
})
afterEach(async () => {
  for (const { near } of clients.splice(0)) near.destroy()
  await new Promise((closed) => server.close(closed))
})

async function arrive(localAddress = '127.0.0.1'): Promise<Client> {
  const { port } = server.address() as { port: number }
  const near = connect({ port, host: '127.0.0.1', localAddress })
  const [far] = (await once(server, 'connection')) as [Socket]
  const isIn = pool.accept(far)
  far.on('error', () => {})
  if (!isIn) far.destroy()
  const client: Client = { near, far: isIn ? far : undefined, isOpen: isIn }
  near.on('error', () => {})
  far.on('close', () => {
    client.isOpen = false
  })
  clients.push(client)
  return client
}

async function arriveOften(count: number, localAddress?: string): Promise<Client[]> {
  const all: Client[] = []
  for (let i = 0; i < count; i++) all.push(await arrive(localAddress))
  return all
}

const signIn = ({ far }: Client, project = 'p', token?: string) =>
  pool.signIn(far!, token === undefined ? { project } : { project, token })

test('an address that has all its connections loses the stranger that was silent for longest', async () => {
  await serve({ connectionsPerAddress: 3 })
  const [first, second, third] = await arriveOften(3)
  pool.active(first!.far!)
  const elsewhere = await arrive('127.0.0.2')
  const fourth = await arrive()
  await expect.poll(() => second!.isOpen).toBe(false)
  expect([first, third, fourth, elsewhere].map((client) => client!.isOpen)).toEqual([true, true, true, true])
  expect(pool.size).toBe(4)
})

test('a full server closes the stranger that was silent for longest, and nobody who has signed in', async () => {
  await serve({ maxConnections: 10, connectionsPerAddress: 0 })
  const members = await arriveOften(8)
  expect(members.map((client) => signIn(client))).toEqual(Array(8).fill(null))
  const strangers = await arriveOften(20)
  await expect.poll(() => strangers.filter(({ isOpen }) => isOpen)).toEqual(strangers.slice(-2))
  expect(members.every(({ isOpen }) => isOpen)).toBe(true)
  expect(pool.size).toBe(10)
})

test('one in ten connections is kept for those who sign in', async () => {
  await serve({ maxConnections: 20, connectionsPerAddress: 10, connectionsPerToken: 0 })
  const here = await arriveOften(10)
  expect(here.map((client) => signIn(client))).toEqual([...Array(9).fill(null), 'address'])
  const there = await arriveOften(10, '127.0.0.2')
  expect(there.map((client) => signIn(client, 'q'))).toEqual([...Array(9).fill(null), 'address'])
  expect(signIn(await arrive('127.0.0.3'))).toBe('server')
})

test('a token has so many connections from one address, and as many from another', async () => {
  await serve({ connectionsPerToken: 2 })
  const here = await arriveOften(4)
  expect(here.map((client) => signIn(client, 'p', 'shared'))).toEqual([null, null, 'token', 'token'])
  expect(signIn(here[3]!, 'p', 'own')).toBeNull()
  const there = await arrive('127.0.0.2')
  expect(signIn(there, 'p', 'shared')).toBeNull()
})

test('a project has so many connections, wherever they come from', async () => {
  await serve({ connectionsPerProject: 2 })
  const all = [await arrive(), await arrive('127.0.0.2'), await arrive('127.0.0.3')]
  expect(all.map((client) => signIn(client))).toEqual([null, null, 'project'])
  expect(signIn(all[2]!, 'another')).toBeNull()
})

test('what is closed is counted no more', async () => {
  await serve({ connectionsPerToken: 1, connectionsPerProject: 1 })
  const first = await arrive()
  expect(signIn(first, 'p', 't')).toBeNull()
  first.near.destroy()
  await expect.poll(() => pool.size).toBe(0)
  expect(signIn(await arrive(), 'p', 't')).toBeNull()
})

test('who comes back to a place finds it, whatever is full', async () => {
  await serve({ connectionsPerToken: 1 })
  expect(signIn(await arrive(), 'p', 't')).toBeNull()
  const again = await arrive()
  expect(signIn(again, 'p', 't')).toBe('token')
  expect(pool.signIn(again.far!, { project: 'p', token: 't' }, { returning: true })).toBeNull()
})

test('requests and then a WebSocket on the same connection count once', async () => {
  await serve({ connectionsPerProject: 1 })
  const client = await arrive()
  expect([signIn(client), signIn(client), signIn(client, 'p', 't'), signIn(client, 'p', 't')]).toEqual([
    null,
    null,
    null,
    null,
  ])
  client.near.destroy()
  await expect.poll(() => pool.size).toBe(0)
})

test("a trusted proxy's own address has no limit; those of its clients have theirs", async () => {
  trusted = '127.0.0.9'
  await serve({ connectionsPerAddress: 2, connectionsPerToken: 1 })
  const all = await arriveOften(5, trusted)
  expect(all.every(({ isOpen }) => isOpen)).toBe(true)
  expect(all.slice(0, 3).map(({ far }) => pool.cameFrom(far!, '192.0.2.1'))).toEqual([true, true, true])
  await expect.poll(() => all.map(({ isOpen }) => isOpen)).toEqual([false, true, true, true, true])
  for (const { far } of all.slice(3)) pool.cameFrom(far!, '192.0.2.2')
  expect([signIn(all[1]!, 'p', 't'), signIn(all[3]!, 'p', 't')]).toEqual([null, null])
  expect(signIn(all[2]!, 'p', 't')).toBe('token')
})

test('an address with nobody to close for a newcomer gets no further connection', async () => {
  await serve({ connectionsPerAddress: 2, connectionsPerToken: 0 })
  const all = await arriveOften(2)
  expect(signIn(all[0]!)).toBeNull()
  pool.signIn(all[1]!.far!, { project: 'p', token: 't' }, { returning: true })
  expect((await arrive()).far).toBeUndefined()
  expect(all.every(({ isOpen }) => isOpen)).toBe(true)
})

test('a limit that many run into stands in the log once', async () => {
  await serve({ connectionsPerAddress: 2 })
  await arriveOften(10)
  expect(lines).toEqual([{ option: 'PARLEY_CONNECTIONS_PER_ADDRESS', address: '127.0.0.1' }])
})
