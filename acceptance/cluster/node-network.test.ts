import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { run } from '../testing/commands.ts'
import { eventually } from '../testing/eventually.ts'
import { isRunning } from '../testing/processes.ts'
import { NodeNetwork } from './node-network.ts'

/** Whoever is told of a cut, by a router or by its own system, knows it by now. */
const TOLD_MS = 1000

let network: NodeNetwork
let server: Server
/** Ends of the server, in the order in which they came. */
let accepted: Socket[] = []
beforeEach(async () => {
  network = await NodeNetwork.open()
  accepted = []
  server = createServer((socket) => {
    accepted.push(socket.on('error', () => {}))
    socket.write('hello')
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
})
afterEach(async () => {
  for (const socket of accepted) socket.destroy()
  server.close()
  await network.close()
})

/** Runs a program of Node in the namespace of a node until the test is over. */
function startedIn(node: string, program: string): ChildProcessByStdio<Writable, Readable, null> {
  const [command = '', ...args] = [...network.entranceOf(node), process.execPath, '-e', program]
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** A program in the namespace of a node. What it writes on its input goes to an address; it says what comes, and what becomes of its socket. */
class Connection {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  /** All that it said. */
  said = ''

  constructor(node: string, host: string, port: number) {
    const program = `
      const socket = require('node:net').connect(${port}, '${host}')
      process.stdout.write('tries ')
      socket.on('data', (data) => process.stdout.write(data))
      socket.on('error', ({ code }) => process.stdout.write(code))
      socket.on('close', () => process.stdout.write('closed'))
      process.stdin.pipe(socket)
    `
    this.#child = startedIn(node, program)
    this.#child.stdout.on('data', (data) => {
      this.said += data
    })
  }

  send(text: string): void {
    this.#child.stdin.write(text)
  }

  async hears(text: string): Promise<void> {
    await eventually(
      'what it says',
      async () => this.said,
      (said) => said === text,
    )
  }
}

const port = () => (server.address() as { port: number }).port

/** A node that is connected to this machine, and the end here. */
async function connected(node: string, host: string) {
  const here = accepted.length
  const connection = new Connection(node, host, port())
  await connection.hears('tries hello')
  const end = accepted[here] as Socket
  const seen = { text: '', isClosed: false }
  end.on('data', (data) => {
    seen.text += data
  })
  end.on('close', () => {
    seen.isClosed = true
  })
  return { connection, end, seen }
}

test('what is cut vanishes both ways and nobody is told, and what else a node says arrives', async () => {
  const cut = await connected('a', network.natsHost)
  const others = [await connected('a', network.databaseHost), await connected('b', network.natsHost)]
  const heal = await network.cut('a', [network.natsHost])
  const late = new Connection('a', network.natsHost, port())
  await late.hears('tries ')
  for (const { connection, end } of [cut, ...others]) {
    connection.send('up')
    end.write(', down')
  }
  for (const { connection, seen } of others) {
    await connection.hears('tries hello, down')
    await expect.poll(() => seen.text).toBe('up')
  }
  await timePasses(TOLD_MS, 'somebody would be told')
  expect(cut.connection.said).toBe('tries hello')
  expect(cut.seen).toEqual({ text: '', isClosed: false })
  expect(late.said).toBe('tries ')
  expect(accepted).toHaveLength(3)

  await heal()
  await cut.connection.hears('tries hello, down')
  await expect.poll(() => cut.seen.text, { timeout: 15_000 }).toBe('up')
  await late.hears('tries hello')
})

test('nodes that are cut off from each other reach this machine, and it reaches them', async () => {
  const listening = `require('node:net').createServer((socket) => socket.end('b')).listen(9000, () => console.log('listens'))`
  const b = startedIn('b', listening)
  await once(b.stdout, 'data')
  await new Connection('a', network.hostOf('b'), 9000).hears('tries bclosed')
  const heal = await network.cut('b', [network.hostOf('a')])
  const late = new Connection('a', network.hostOf('b'), 9000)
  await late.hears('tries ')
  await new Connection('c', network.hostOf('b'), 9000).hears('tries bclosed')
  await connected('a', network.natsHost)
  await timePasses(TOLD_MS, 'it would be told')
  expect(late.said).toBe('tries ')
  await heal()
  await late.hears('tries bclosed')
})

test('the next test removes what a killed one left, with the processes in it, and nothing else', async () => {
  await network.close()
  const program = `
    const { NodeNetwork } = await import(${JSON.stringify(import.meta.resolve('./node-network.ts'))})
    const { spawn } = await import('node:child_process')
    const network = await NodeNetwork.open()
    const [command, ...args] = [...network.entranceOf('a'), 'sleep', '600']
    const { pid } = spawn(command, args, { stdio: 'ignore' })
    console.log(pid)
  `
  const [killed, running] = [1, 2].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  if (!killed || !running) throw new Error('there are two')
  const pids: number[] = []
  for (const { stdout } of [killed, running]) pids.push(Number((await once(stdout, 'data'))[0]))
  onTestFinished(() => void running.kill('SIGKILL'))
  const devices = async () => (await run('ip', ['-o', 'link'])).toString()
  const namespaces = async () => (await run('ip', ['netns', 'list'])).toString()

  killed.kill('SIGKILL')
  await once(killed, 'exit')
  expect(await namespaces()).toContain(`parley-cut-${killed.pid}-router`)
  network = await NodeNetwork.open()
  expect(await namespaces()).not.toContain(`parley-cut-${killed.pid}-`)
  expect(await devices()).not.toContain(`cut${killed.pid}@`)
  expect(await isRunning(pids[0] ?? 0)).toBe(false)
  expect(await namespaces()).toContain(`parley-cut-${running.pid}-router`)
  expect(await isRunning(pids[1] ?? 0)).toBe(true)

  running.kill('SIGKILL')
  await once(running, 'exit')
  await network.close()
  network = await NodeNetwork.open()
  expect(await namespaces()).not.toContain(`parley-cut-${running.pid}-`)
})
